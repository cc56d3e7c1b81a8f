"""Random loop nests in C: the input of the fuzzer. Every program ends, and writes only what is its own or adds atomically."""
import random
import re

HEAD = """#include <stdint.h>
#define ATOMIC_ADD(p, v) __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
static inline uint32_t mix(uint32_t a) { a = (a ^ a >> 16) * 0x7feb352du; return a ^ a >> 13; }
"""


class Nest:
    """One kernel. `fuel` bounds the number of loop turns of a lane, whatever the conditions do."""

    def __init__(self, rng, name):
        self.rng, self.name, self.lines, self.n_vars = rng, name, [], 0
        self.names = ["a", "b", "c"]
        self.n_statements = 0

    def emit(self, depth, text):
        self.lines.append("    " * (depth + 1) + text)

    def value(self):
        r = self.rng
        kind = r.randrange(7)
        name = r.choice(self.names)
        if kind == 0:
            return str(r.randrange(1, 1 << r.choice([3, 8, 31]))) + "u"
        if kind == 1:
            return f"own[{name} & 63u]"
        if kind == 2:
            return f"({name} >> {r.randrange(1, 28)})"
        if kind == 3:
            return f"({name} {r.choice('+-*^|&')} {r.choice(self.names)})"
        if kind == 4:
            return f"mix({name})"
        if kind == 5:
            return f"(lane * {r.randrange(1, 99)}u)"
        return name

    def condition(self):
        r = self.rng
        return r.choice([
            f"({self.value()} & {r.choice([1, 3, 5, 7, 12])}u) != 0u",
            f"({self.value()} & 15u) < {r.randrange(1, 15)}u",
            f"{self.value()} > {self.value()}",
            f"x < {r.randrange(1, 100)}.0f",
        ])

    def statement(self, depth, loops):
        r = self.rng
        self.n_statements += 1
        choices = ["assign"] * 4 + ["float", "store", "atomic", "if", "ifelse"]
        if self.n_statements < 28 and depth < 5:
            choices += ["for", "while", "do", "switch", "ifelse", "twins", "mirror"]
        if loops > 0:
            choices += ["break", "continue"]
        if loops > 1:
            choices += ["leave"]
        if r.randrange(40) == 0:
            choices += ["return"]
        getattr(self, "make_" + r.choice(choices))(depth, loops)

    def block(self, depth, loops, most=3):
        for _ in range(self.rng.randrange(1, most + 1)):
            self.statement(depth, loops)

    def make_assign(self, depth, loops):
        self.emit(depth, f"{self.rng.choice('abc')} {self.rng.choice(['=', '+=', '^=', '-='])} {self.value()};")

    def make_float(self, depth, loops):
        op = self.rng.choice(["x = x * 0.75f + (float)({} & 255u);", "x += 1.0f / (1.0f + (float)({} & 31u));",
                              "y = x * y - (float)({} & 7u);", "x = y > x ? y * 0.5f : x + (float)({} & 3u);"])
        self.emit(depth, op.format(self.rng.choice("abc")))

    def make_store(self, depth, loops):
        self.emit(depth, f"own[{self.value()} & 63u] = {self.value()};")

    def make_atomic(self, depth, loops):
        self.emit(depth, f"ATOMIC_ADD(&shared[{self.value()} & 15u], {self.value()} & 1023u);")

    def make_if(self, depth, loops):
        self.emit(depth, f"if ({self.condition()}) {{")
        self.block(depth + 1, loops)
        self.emit(depth, "}")

    def make_ifelse(self, depth, loops):
        self.emit(depth, f"if ({self.condition()}) {{")
        self.block(depth + 1, loops)
        self.emit(depth, "} else {")
        self.block(depth + 1, loops)
        self.emit(depth, "}")

    def make_twins(self, depth, loops):
        """Two sides that look alike: food for branch-distribute."""
        r, n = self.rng, self.rng.randrange(2, 7)
        names = [[r.choice("abc") for _ in range(n)] for _ in range(2)]
        forms = [r.choice(["{0} = mix({1} + {2}u);", "{0} ^= {1} * {2}u;", "own[{1} & 63u] = {0} + {2}u;", "{0} += own[{2}u & 63u] ^ {1};",
                           "y = y * 0.5f + (float)({1} & {2}u);"]) for _ in range(n)]
        for side in range(2):
            self.emit(depth, f"if ({self.condition()}) {{" if side == 0 else "} else {")
            for k in range(n):
                if r.randrange(6):
                    self.emit(depth + 1, forms[k].format(names[side][k], r.choice("abc"), r.randrange(1, 999)))
        self.emit(depth, "}")

    def make_mirror(self, depth, loops):
        """Two sides of one shape, with loops and branches inside and statements that one side may lack: food for regions."""
        r, start = self.rng, len(self.lines)
        self.emit(depth, "{")
        self.block(depth + 1, 0, 4)
        shape = self.lines[start + 1:]
        del self.lines[start:]
        labels = {m[1] for line in shape for m in [re.match(r"\s*(out\d\w*):", line)] if m}
        for side in range(2):
            self.emit(depth, f"if ({self.condition()}) {{" if side == 0 else "} else {")
            for line in shape:
                is_plain = line.endswith(";") and not re.search(r"break|return|fuel|else|while|out\d|case|default", line)
                if is_plain and r.randrange(5) == 0:
                    if r.randrange(2):
                        self.make_assign(depth + 1, 0)
                    continue
                if is_plain:  # other factors and summands; masks stay, they keep accesses inside
                    line = re.sub(r"([*+^] )(\d+)u\b", lambda m: f"{m[1]}{int(m[2]) % 9000 + side * r.randrange(3)}u", line)
                for label in labels:
                    line = re.sub(rf"\b{label}\b", f"{label}_{start}_{side}", line)
                self.lines.append(line)
        self.emit(depth, "}")

    def make_switch(self, depth, loops):
        self.emit(depth, f"switch ({self.value()} & 3u) {{")
        for k in range(self.rng.randrange(1, 4)):
            self.emit(depth, f"case {k}:")
            self.emit(depth + 1, f"{self.rng.choice('abc')} += {self.value()};")
            if self.rng.randrange(3):
                self.emit(depth + 1, "break;")
        self.emit(depth, "default: c += 1u;")
        self.emit(depth, "}")

    def loop(self, depth, loops, head, tail):
        label = f"out{len(self.lines)}"
        self.labels = getattr(self, "labels", []) + [label]
        self.emit(depth, head)
        self.emit(depth + 1, "if (fuel == 0u) break;")
        self.emit(depth + 1, "fuel -= 1u;")
        self.block(depth + 1, loops + 1, 4)
        self.emit(depth, tail)
        self.emit(depth, f"{label}:;")
        self.labels.pop()

    def make_for(self, depth, loops):
        name = f"i{self.n_vars}"
        self.n_vars += 1
        self.names.append(name)
        bound = self.rng.choice([f"{self.value()} % {self.rng.randrange(1, 12)}u", str(self.rng.randrange(1, 6)) + "u"])
        self.loop(depth, loops, f"for (uint32_t {name} = 0, end = {bound}; {name} < end; ++{name}) {{", "}")
        self.names.remove(name)

    def make_while(self, depth, loops):
        self.loop(depth, loops, f"while ({self.condition()}) {{", "}")

    def make_do(self, depth, loops):
        self.loop(depth, loops, "do {", f"}} while ({self.condition()});")

    def make_break(self, depth, loops):
        self.emit(depth, f"if ({self.condition()}) break;")

    def make_continue(self, depth, loops):
        self.emit(depth, f"if ({self.condition()}) continue;")

    def make_leave(self, depth, loops):
        """Out of more than one loop at once."""
        self.emit(depth, f"if ({self.condition()}) goto {self.rng.choice(self.labels)};")

    def make_return(self, depth, loops):
        self.emit(depth, f"if ({self.condition()}) return;")

    def text(self):
        self.emit(0, "uint32_t a = mix(lane + 1u), b = own[lane], c = lane, fuel = 400u;")
        self.emit(0, "float x = 1.0f, y = 2.0f;")
        self.make_for(0, 0)
        for _ in range(self.rng.randrange(1, 3)):
            self.rng.choice([self.make_for, self.make_while, self.make_do])(0, 0)
        self.emit(0, "own[0] = a; own[1] = b; own[2] = c; own[3] = fuel;")
        self.emit(0, "union { float f; uint32_t u; } bits; bits.f = x + y; own[4] = bits.u;")
        head = f"void {self.name}(uint32_t lane, uint32_t *restrict own, uint32_t *restrict shared)\n{{\n"
        return head + "\n".join(self.lines) + "\n}\n"


def program(seed, n):
    """C text with kernel_0 ... kernel_(n-1)."""
    rng = random.Random(seed)
    return HEAD + "\n".join(Nest(rng, f"kernel_{k}").text() for k in range(n))


if __name__ == "__main__":
    import sys
    print(program(int(sys.argv[1]), int(sys.argv[2])))
