"""The rows `cupy-array` (`c = a + b`: CuPy makes the kernel and owns the result) and `cupy-array-out`
(`cupy.add(a, b, out=c)`: the result goes to the owner's buffer). The case says which expression stands for its kernel.
"""

import ast
import sys

from cupy_row import CuPy
from tare_argument import Unsupported
from tare_worker import Failure, serve

OPERATIONS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}
POISON = 0xFF


class CuPyArray(CuPy):
    collects = True
    result = None

    def take_arguments(self):
        if not self.task.get("array"):
            raise Unsupported("this case does not say which array expression its kernel is ([kernel] array)")
        outputs = [a for a in self.arguments if a.is_buffer and not a.is_const]
        if len(outputs) != 1:
            raise Unsupported(f"an array expression has one result, this case has {len(outputs)} outputs")
        self.output = outputs[0]
        self.names = {a.name: self.array(a) if a.is_buffer else a.scalar(self.title) for a in self.arguments}
        self.expression = ast.parse(self.task["array"], mode="eval").body
        self.check(self.expression)

    def check(self, node):
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            self.check(node.left)
            self.check(node.right)
        elif not (isinstance(node, ast.Name) and node.id in self.names):
            raise Failure("argument", f"[kernel] array: `{ast.unparse(node)}` is neither an argument nor + - * / of two")

    def compile(self):
        """There is no step that a user writes: CuPy makes and compiles its kernel when it is first used."""
        self.passed = []
        self.watch_options()
        code = compile(f"lambda {', '.join(self.names)}: {self.task['array']}", "[kernel] array", "eval")
        compute = eval(code, {})  # of names and + - * / only, see check()
        values = list(self.names.values())

        def launch():
            self.result = compute(*values)

        self.launch = launch

    def before_launches(self):
        """What the result will be written to holds the poison, so that a library that writes nothing is found out."""
        self.result = None
        if not self.output.bytes:
            return
        blocks = [self.cupy.cuda.alloc(self.output.bytes) for _ in range(2)]  # a result lives until the next is there
        for block in blocks:
            block.memset_async(POISON, self.output.bytes, self.stream)
        self.driver.synchronize()

    def collect(self, request):
        self.driver.synchronize()
        if self.result is not None and self.output.bytes:
            wanted = self.names[self.output.name]
            if self.result.dtype != wanted.dtype or self.result.shape != wanted.shape:
                raise Failure("argument", f"`{self.task['array']}` is {self.result.dtype}{list(self.result.shape)}, "
                                          f"`{self.output.name}` is {wanted.dtype}{list(wanted.shape)}")
            self.driver.copy(self.output.address, self.result.data.ptr, self.output.bytes)
        return super().collect(request)


class CuPyArrayOut(CuPyArray):
    collects = False

    def compile(self):
        self.passed = []
        self.watch_options()
        node = self.expression
        if not (isinstance(node, ast.BinOp) and isinstance(node.left, ast.Name) and isinstance(node.right, ast.Name)):
            raise Unsupported(f"`{self.task['array']}` is not one operation on two arguments")
        operation = getattr(self.cupy, OPERATIONS[type(node.op)])
        left, right, out = (self.names[name] for name in (node.left.id, node.right.id, self.output.name))

        def launch():
            operation(left, right, out=out)

        self.launch = launch

    def before_launches(self):
        pass

    def collect(self, request):
        return super(CuPyArray, self).collect(request)


serve({"cupy-array": CuPyArray, "cupy-array-out": CuPyArrayOut}[sys.argv[1]]())
