"""The kernel's parameters as the owner describes them, for libraries that take NumPy's scalars and arrays."""


class Unsupported(Exception):
    """The library cannot do what the case asks for: the row is skipped, with this sentence."""


class Argument:
    """One parameter of the kernel: a buffer of the owner's on the device, or the bytes of a scalar."""

    def __init__(self, description):
        self.name, self.type = description["name"], description["type"]
        self.element = description["element"]
        self.kind, self.lanes = self.element["kind"], self.element["lanes"]
        self.is_buffer, self.is_const = description["buffer"], description.get("const", False)
        self.count, self.bytes = description.get("count", 0), description.get("bytes", 0)
        self.ipc, self.offset = description.get("ipc", ""), description.get("offset", 0)
        self.value = bytes.fromhex(description.get("value", ""))
        self.address = 0

    def dtype(self):
        """Of one scalar, for NumPy; None where NumPy has no such type."""
        letter = {"floating": "f", "half": "f", "signed_integer": "i", "unsigned_integer": "u", "boolean": "?"}
        size = self.element["size"] // self.lanes
        if self.kind not in letter or size > 8:
            return None
        return "?" if self.kind == "boolean" else f"<{letter[self.kind]}{size}"

    def scalar(self, library):
        """The NumPy scalar that has exactly the bytes of the parameter."""
        if self.dtype() is None or self.lanes != 1:
            raise Unsupported(f"{library} passes no `{self.type}` by value (argument `{self.name}`)")
        import numpy

        return numpy.frombuffer(self.value, self.dtype())[0]

    def scalar_or_integer(self, library):
        """The same for a library that has no bfloat16, and takes a `float` through Python's, which changes some NaNs:
        they become the integer with their bytes."""
        if self.kind == "bfloat16" and self.lanes == 1:
            import numpy

            return numpy.frombuffer(self.value, "<u2")[0]
        value = self.scalar(library)
        return value.view("u4") if self.kind == "floating" and self.is_signalling() else value

    def is_signalling(self):
        """A float or half that does not outlive a conversion to Python's float and back: a NaN that comes back quiet."""
        parts = self._exponent_and_mantissa()
        return parts is not None and parts[0] == 1 and 0 < parts[1] < 0.5

    def is_subnormal(self):
        parts = self._exponent_and_mantissa()
        return parts is not None and parts[0] == 0 and parts[1] > 0

    def _exponent_and_mantissa(self):
        """Of a float or half by value, as parts of their largest: (1, 0) is an infinity. None of anything else."""
        widths = {("half", 2): (5, 10), ("floating", 4): (8, 23)}.get((self.kind, len(self.value)))
        if widths is None:
            return None
        exponent, mantissa = ((1 << width) for width in widths)
        bits = int.from_bytes(self.value, "little")
        return bits // mantissa % exponent / (exponent - 1), bits % mantissa / mantissa


class DeviceArray:
    """An object with `__cuda_array_interface__`: the owner's buffer as a one-dimensional array of scalars; of bytes,
    where NumPy has no such type."""

    def __init__(self, argument):
        dtype = argument.dtype()
        typestr = {None: "|u1", "?": "|b1"}.get(dtype, dtype)
        self.__cuda_array_interface__ = {
            "shape": (argument.count * argument.lanes if dtype else argument.bytes,), "typestr": typestr,
            "data": (argument.address, False), "strides": None, "version": 3, "stream": None}
