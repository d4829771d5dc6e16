//! Kinds of files that are not read, and how Python makes a file of them that is.

use std::path::Path;

/// The advice for a file of a known format that NESL does not read; none for other files.
pub(super) fn conversion(path: &Path) -> Option<String> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let (from, to) = (path.display(), path.with_extension("npy"));
    let to = to.display();
    let numpy = |load: &str| format!("Python converts it: `numpy.save(\"{to}\", {load})`");
    Some(match ending.as_str() {
        "csv" => numpy(&format!("numpy.loadtxt(\"{from}\", delimiter=\",\")")),
        "tsv" | "dat" => numpy(&format!("numpy.loadtxt(\"{from}\")")),
        "npz" => {
            let matrix = path.with_extension("mtx");
            let matrix = matrix.display();
            let sparse =
                format!("scipy.io.mmwrite(\"{matrix}\", scipy.sparse.load_npz(\"{from}\"))");
            let array = numpy(&format!("numpy.load(\"{from}\")[\"NAME\"]"));
            format!("{array}, for each array in it; a sparse matrix: `{sparse}`")
        }
        "mat" => numpy(&format!("scipy.io.loadmat(\"{from}\")[\"NAME\"]")),
        "h5" | "hdf5" => numpy(&format!("h5py.File(\"{from}\")[\"NAME\"][()]")),
        "json" => numpy(&format!("json.load(open(\"{from}\"))")),
        "parquet" => numpy(&format!("pandas.read_parquet(\"{from}\")[\"NAME\"]")),
        "gz" => format!("decompress it: `gunzip -k {from}`"),
        "bz2" => format!("decompress it: `bunzip2 -k {from}`"),
        "xz" => format!("decompress it: `unxz -k {from}`"),
        "zst" => format!("decompress it: `unzstd {from}`"),
        "zip" => format!("unpack it: `unzip {from}`"),
        _ => return None,
    })
}
