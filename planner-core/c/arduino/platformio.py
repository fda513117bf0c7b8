# Links the archive for the processor of the board.
from os.path import isdir, join

Import("env", "pio_lib_builder")

board = env.BoardConfig()
names = [board.get(key, "") for key in ("build.cpu", "build.mcu")]
folders = [join(pio_lib_builder.path, "src", name) for name in names if name]
folders = [folder for folder in folders if isdir(folder)]
if not folders:
    raise SystemExit("tinystar has no archive for the processor of this board: %s" % " ".join(names))
env.Append(LIBPATH=folders[:1], LIBS=["tinystar"])
