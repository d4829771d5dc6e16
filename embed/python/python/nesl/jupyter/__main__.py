"""`python -m nesl.jupyter install` installs the kernel; notebooks start it with `-f FILE`."""

import argparse
import json
import pathlib
import sys
import tempfile


def main():
    if sys.argv[1:2] == ["install"]:
        install(sys.argv[2:])
        return
    from ipykernel.kernelapp import IPKernelApp

    from .kernel import NeslKernel

    IPKernelApp.launch_instance(kernel_class=NeslKernel)


def install(arguments):
    """Writes the kernel's description where Jupyter looks for kernels."""
    parser = argparse.ArgumentParser("python -m nesl.jupyter install")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="for this user")
    where.add_argument("--sys-prefix", action="store_true", help="for this environment (as usual)")
    where.add_argument("--prefix", help="below this folder")
    parser.add_argument("--name", default="nesl", help="the name of the kernel")
    parser.add_argument("--engine", choices=["auto", "cpu", "cuda", "interp"], default="auto")
    options = parser.parse_args(arguments)
    try:
        from jupyter_client.kernelspec import KernelSpecManager
    except ImportError:
        parser.error("the kernel needs ipykernel: pip install 'nesl[jupyter]'")
    command = [sys.executable, "-m", "nesl.jupyter", "-f", "{connection_file}"]
    if options.engine != "auto":
        command.append(f"--NeslKernel.engine={options.engine}")
    spec = {
        "argv": command,
        "display_name": "NESL",
        "language": "nesl",
        "interrupt_mode": "signal",
        # All kernels that are made with ipykernel can do this.
        "metadata": {"supported_encryption": ["curve"]},
    }
    prefix = None if options.user else options.prefix or sys.prefix
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "kernel.json").write_text(json.dumps(spec, indent=1))
        at = KernelSpecManager().install_kernel_spec(
            folder, options.name, user=options.user, prefix=prefix
        )
    print(f"the kernel `{options.name}` is installed in {at}")


if __name__ == "__main__":
    main()
