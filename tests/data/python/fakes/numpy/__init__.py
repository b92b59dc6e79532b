"""Enough of NumPy for a worker of the vector add."""

from fake_driver import unpack as frombuffer

__version__ = "0.fake"
