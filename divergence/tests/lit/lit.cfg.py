"""lit configuration: `lit -Dtools=BIN -Dplugin=SO -Dout=FOLDER divergence/tests/lit`."""
import os

import lit.formats

config.name = "divergence"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".ll"]
config.excludes = []
tools = lit_config.params["tools"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["out"]
config.environment["PATH"] = tools + os.pathsep + config.environment.get("PATH", "")
plugin = lit_config.params["plugin"]
# %{div}: opt with the plug-in, remarks on standard error; every pass leaves the module valid.
config.substitutions.append(
    ("%{div}", f"opt -load-pass-plugin={plugin} -mcpu=sm_90 -divergence-remarks=- -verify-each -S"))
config.substitutions.append(("%{plugin}", plugin))
