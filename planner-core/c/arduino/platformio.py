# Links the archive for the processor of the board.
from os.path import isdir, join

Import("env")

cpu = env.BoardConfig().get("build.cpu", "")
folder = join(env["PROJECT_LIBDEPS_DIR"], env["PIOENV"], "tinystar", "src", cpu)
here = join(Dir(".").srcnode().abspath, "src", cpu)
folder = here if isdir(here) else folder
if not cpu or not isdir(folder):
    raise SystemExit("tinystar has no archive for the processor '%s' of this board" % cpu)
env.Append(LIBPATH=[folder], LIBS=["tinystar"])
