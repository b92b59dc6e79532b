"""Writes tiny packages for tests of `tare rows install`, without a network and without a build tool.

    make_packages.py FOLDER wheel NAME VERSION [REQUIREMENT...]
    make_packages.py FOLDER source NAME VERSION HOW

A wheel holds a module that knows its version, and a script. A source package is built by a backend of its
own, which keeps in the module what it finds in its environment; HOW is `builds`, `fails` or `hangs`.
"""

import io
import os
import sys
import tarfile
import zipfile

BACKEND = '''
import os, sys, time, zipfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_packages import write_wheel

def build_wheel(directory, settings=None, metadata=None):
    how = {how!r}
    if how == "fails":
        sys.exit("toy.cpp:1:10: fatal error: cuda.h: No such file or directory")
    if how == "hangs":
        time.sleep(600)
    found = {{name: os.environ.get(name, "") for name in ("TOY_ROOT", "HOME", "PATH")}}
    try:
        found["settings"] = open(os.path.expanduser("~/.toy-settings")).read()
    except OSError:
        found["settings"] = ""
    return write_wheel(directory, {name!r}, {version!r}, (), f"built_with = {{found!r}}\\n")
'''


def write_wheel(folder, name, version, requirements=(), more=""):
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    requires = "".join(f"Requires-Dist: {r}\n" for r in requirements)
    files = {
        f"{module}/__init__.py": f"__version__ = {version!r}\n{more}",
        f"{module}/__main__.py": "def main():\n    import sys\n    print(sys.prefix)\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {module}.__main__:main\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    wheel = f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def write_source(folder, name, version, how):
    root = f"{name}-{version}"
    with open(os.path.abspath(__file__)) as this:
        files = {
            "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
            "backend.py": BACKEND.format(name=name, version=version, how=how),
            "make_packages.py": this.read(),
        }
    with tarfile.open(os.path.join(folder, f"{root}.tar.gz"), "w:gz") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{root}/{path}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))


if __name__ == "__main__":
    folder, kind, name, version, *rest = sys.argv[1:]
    if kind == "wheel":
        write_wheel(folder, name, version, rest)
    else:
        write_source(folder, name, version, rest[0])
