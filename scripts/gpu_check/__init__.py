"""The steps of scripts/gpu-check, one in each file."""
