#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs portacl as a user does.

Usage: tool_test.py SOURCE_FOLDER COMMAND...        COMMAND starts the program, perhaps under an emulator
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from tool_case import COMMAND, LOGIT, SOURCE, ToolCase, npy, values_of

COMMANDS = ["info", "ops", "run", "bench", "accuracy", "missing", "trace", "version"]


class ToolTest(ToolCase):
    # Commands that succeed.

    def test_version(self):
        version = self.output("--version").strip()
        self.assertIn(f"portacl {version} (interface of CANN ", self.output("version"))
        self.assertEqual(self.json("version")["portacl"], version)

    def test_help_lists_every_command(self):
        text = self.output("--help")
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", text)
            self.assertIn("--json", self.output(command, "--help"))

    def test_info(self):
        lowest = self.json("info")["instruction_set"]["available"][-1]
        info = self.json("info", PORTACL_SOC="Ascend950", PORTACL_TARGET=lowest, PORTACL_NUM_THREADS="many")
        self.assertEqual(info["product"]["family"], "Ascend950")
        self.assertEqual(info["instruction_set"]["in_use"], lowest)
        self.assertGreaterEqual(info["cores"]["used"], 1)
        variables = {row["name"]: row for row in info["variables"]}
        self.assertEqual((variables["PORTACL_SOC"]["value"], variables["PORTACL_SOC"]["source"]), ("Ascend950", "environment"))
        self.assertEqual(variables["PORTACL_DEVICES"]["source"], "default")
        self.assertIn("'many' is not understood", variables["PORTACL_NUM_THREADS"]["source"])
        text = self.output("info")
        for variable in variables:
            self.assertIn(variable, text)

    def test_ops(self):
        self.assertRegex(self.output("ops"), "aclnnLogitGrad +FLOAT, FLOAT16, BFLOAT16\n")
        self.assertRegex(self.output("ops", "--soc", "Ascend310P"), "aclnnLogitGrad +-\n")
        text = self.output("ops", "aclnnLogitGrad")
        self.assertRegex(text, "161002 +dy: shape that of x\n")
        row = next(row for row in self.json("ops") if row["operator"] == "aclnnLogitGrad")
        self.assertEqual([argument["name"] for argument in row["arguments"]], ["x", "dy", "eps", "out"])
        self.assertEqual(row["products"]["Ascend950"]["dtypes"], ["FLOAT", "FLOAT16", "BFLOAT16"])
        self.assertIsNone(row["products"]["Ascend310P"])
        self.assertEqual(list(self.json("ops", "--soc", "Ascend310P3")[0]["products"]), ["Ascend310P"])
        self.assertIn("aclnnLogitGrad", self.output("ops", "--names").split())
        self.assertEqual(self.output("ops", "aclnnLogitGrad", "--names").split(), ["x=", "dy=", "eps=", "out="])
        self.assertEqual([row["operator"] for row in self.json("ops", "loss/logit")], ["aclnnLogit", "aclnnLogitGrad"])

    def test_names_of_operators_in_any_case_and_without_their_prefix(self):
        for name in ("LogitGrad", "logitgrad", "ACLNNLOGITGRAD"):
            self.assertEqual(self.output("ops", name), self.output("ops", "aclnnLogitGrad"))
        self.assertEqual(self.output("ops", "logitgrad", "--names").split(), ["x=", "dy=", "eps=", "out="])
        self.assertEqual(self.json("run", "logitgrad", "x=x.npy", "dy=dy.npy", "eps=-1", "--repeat", "1")["operator"], "aclnnLogitGrad")
        self.assertEqual([row["operator"] for row in self.json("accuracy", "logitgrad", "--seconds", "0.01")][0], "aclnnLogitGrad")
        self.assertEqual([row["operator"] for row in self.json("ops", "convolution")], ["aclnnConvolution"])    # a family
        self.assertRegex(self.output("ops", "convolution"), r"aclnnConvolution +FLOAT")
        self.assertRegex(self.output("ops", "Convolution"), r"(?m)^arguments$")

    def test_run_writes_the_gradient(self):
        text = self.output(*LOGIT, "x=x.npy", "dy=dy.npy", "eps=-1", "out=out.npy", "--verify")
        self.assertIn("out      FLOAT [2,3] -> out.npy\n", text)
        self.assertIn("GB/s", text)
        self.assertRegex(text, r"largest error .* ULP at \[\d,\d\], .*: ok\n")
        values, header = values_of(self.folder / "out.npy")
        self.assertIn("'shape': (2, 3, )", header)
        for got, x, dy in zip(values, self.x, self.dy):
            self.assertAlmostEqual(got, dy / (x * (1 - x)), places=4)

    def test_run_verifies_by_references_that_append_to_their_outputs(self):
        self.assertRegex(self.output("run", "aclnnInverse", "self=random:2,3,3", "--verify"), r"verify +out: largest error .*: ok\n")

    def test_run_verifies_numbers_that_no_file_holds(self):
        halves = ["run", "aclnnComplex", "real=random:37", "imag=random:37", "--dtype", "fp16"]
        self.assertRegex(self.output(*halves, "--verify"), r"out +COMPLEX32 \[37\]\n(.*\n)*verify +out: largest error 0 ULP .*: ok\n")
        self.assertIn(".npy files cannot hold COMPLEX32; run without a file for this output", self.complaint(1, *halves, "out=out.npy"))

    def test_run_reports_json(self):
        report = self.json(*LOGIT, "x=x.npy", "dy=dy.npy", "eps=-1", "--verify", "--repeat", "5")
        self.assertEqual(report["runs"], 5)
        self.assertEqual(report["bytes"], 72)
        self.assertTrue(report["verified"])
        self.assertEqual([t["shape"] for t in report["tensors"]], [[2, 3]] * 3)
        self.assertLessEqual(report["verify"][0]["largest_ulp"], report["verify"][0]["limit"])

    def test_run_reads_both_orders(self):
        self.file("x_fortran.npy", npy([0.1, 0.4, 0.2, 0.5, 0.3, 0.6], shape=(2, 3), fortran=True))
        self.file("dy_big.npy", npy(self.dy, shape=(2, 3), order=">"))
        self.output(*LOGIT, "x=x.npy", "dy=dy.npy", "eps=-1", "out=plain.npy")
        self.output(*LOGIT, "x=x_fortran.npy", "dy=dy_big.npy", "eps=-1", "out=other.npy")
        self.assertEqual((self.folder / "plain.npy").read_bytes(), (self.folder / "other.npy").read_bytes())

    def test_run_rounds_to_a_dtype(self):
        for name, dtype in (("bf16", "BFLOAT16"), ("float16", "FLOAT16"), ("float", "FLOAT")):
            report = self.json(*LOGIT, "x=x.npy", "dy=dy.npy", "eps=-1", "--dtype", name, "--verify")
            self.assertEqual([t["dtype"] for t in report["tensors"]], [dtype] * 3)
        self.file("d.npy", npy(self.x, "d", shape=(2, 3)))
        self.output(*LOGIT, "x=d.npy", "dy=dy.npy", "eps=-1", "--dtype", "x=float")

    def test_run_takes_what_has_no_elements_or_no_axes(self):
        self.output(*LOGIT, "x=random:0,3", "dy=random:0,3", "eps=-1", "out=empty.npy", "--verify")
        self.assertEqual(values_of(self.folder / "empty.npy")[0], [])
        self.file("scalar.npy", npy([0.5], shape="()"))
        self.output(*LOGIT, "x=scalar.npy", "dy=scalar.npy", "eps=-1", "out=scalar_out.npy")
        self.assertEqual(values_of(self.folder / "scalar_out.npy")[0], [2.0])

    def test_run_writes_a_list(self):
        self.file("factor.npy", npy([2.0]))
        product = ["run", "aclnnForeachMulScalar", "x=x.npy,factor.npy", "scalar=factor.npy"]
        self.assertRegex(self.output(*product), r"out\[0\] +FLOAT \[2,3\]\nout\[1\] +FLOAT \[1\]\n")
        self.output(*product, "out=first.npy,second.npy")
        self.assertEqual(values_of(self.folder / "second.npy")[0], [4.0])
        self.assertIn("'out': expected 2 (that of 'x'), got length 1", self.complaint(1, *product, "out=first.npy"))

    def test_run_gives_images_a_format_that_the_operator_takes(self):
        self.file("image.npy", npy([1.0, 2.0, 3.0, 4.0], shape=(1, 1, 2, 2)))
        text = self.output("run", "aclnnUpsampleNearest2d", "self=image.npy", "outputSize=3,4", "out=out.npy", "--verify")
        self.assertIn("out      FLOAT [1,1,3,4] -> out.npy\n", text)
        self.assertEqual(values_of(self.folder / "out.npy")[0], [1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4])

    def test_missing(self):
        self.assertEqual(self.json("missing", "/proc/self/exe")["missing"], [])
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("no compiler")
        self.file("client.c", b"int aclInit(void); int aclnnNever(void); int acl_get_file(void); int AclNever(void);\n"
                              b"int client(void) { return aclInit() + aclnnNever() + acl_get_file() + AclNever(); }\n")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self.folder / "client.so", self.folder / "client.c"], check=True)
        run = self.run_tool("missing", "client.so", code=1)
        self.assertEqual(run.stdout, "AclNever\naclnnNever\n")
        self.assertEqual(run.stderr, "client.so: needs 3 names of CANN, Portacl lacks 2\n")
        report = json.loads(self.run_tool("missing", "client.so", "--json", code=1).stdout)
        self.assertEqual(report["missing"], ["AclNever", "aclnnNever"])
        self.assertEqual(report["elsewhere"], {}, "it names no library, so its host has them")

    def test_missing_counts_names_of_c_plus_plus(self):
        compiler = shutil.which("c++")
        if compiler is None:
            self.skipTest("no compiler")
        self.file("client.cc", b"namespace ge { struct Operator { Operator(const char*); }; int GEFinalize(); }\n"
                               b"namespace gert { struct Shape { int size() const; virtual ~Shape(); }; }\n"
                               b"namespace geometry { int Area(); }\n"
                               b"int client(const gert::Shape& s) { ge::Operator a(nullptr); return ge::GEFinalize() + s.size() + geometry::Area(); }\n"
                               b"struct Mine : gert::Shape {}; Mine mine;\n")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self.folder / "client.so", self.folder / "client.cc"], check=True)
        run = self.run_tool("missing", "client.so", code=1)
        for name in ("ge::Operator::Operator(char const*)", "ge::GEFinalize()", "gert::Shape::size() const", "gert::Shape::~Shape()",
                     "typeinfo for gert::Shape"):
            self.assertIn(name + "\n", run.stdout)
        self.assertNotIn("geometry", run.stdout)
        self.assertIn("_ZN2ge10GEFinalizeEv", json.loads(self.run_tool("missing", "client.so", "--json", code=1).stdout)["missing"])

    def test_missing_shows_names_that_a_terminal_would_obey(self):
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("no compiler")
        self.file("client.c", b"int aclXXX2J(void); int client(void) { return aclXXX2J(); }\n")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self.folder / "client.so", self.folder / "client.c"], check=True)
        self.file("client.so", (self.folder / "client.so").read_bytes().replace(b"aclXXX2J", b"aclX\x1b[2J"))
        self.assertEqual(self.run_tool("missing", "client.so", code=1).stdout, "aclX\\x1b[2J\n")

    def test_missing_looks_into_the_libraries_that_the_file_names(self):
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("no compiler")
        self.file("client.c", b"int aclInit(void); int aclnnCast(void); int aclnnLogitGetWorkspaceSize(void); int aclCreateTensor(void);\n"
                              b"int client(void) { return aclInit() + aclnnCast() + aclnnLogitGetWorkspaceSize() + aclCreateTensor(); }\n")
        for library, elsewhere in (
            ("libopapi_math.so", {"aclnnLogitGetWorkspaceSize": "libopapi_nn.so"}),
            ("libopapi_nn.so", {}),    # it needs the math library, as CANN's does
            ("libopapi.so", {}),
            ("libascendcl.so", {"aclnnLogitGetWorkspaceSize": "libopapi_nn.so", "aclnnCast": "libopapi_math.so",
                                "aclCreateTensor": "libnnopbase.so"}),
            ("libneighbour.so", {}),
        ):
            with self.subTest(library=library):
                build = [compiler, "-shared", "-fPIC", "-Wl,--no-as-needed"]
                subprocess.run([*build, f"-Wl,-soname,{library}", "-x", "c", "/dev/null", "-o", self.folder / library], check=True)
                subprocess.run([*build, self.folder / "client.c", self.folder / library, "-o", self.folder / "client.so"], check=True)
                report = json.loads(self.run_tool("missing", "client.so", "--json", code=int(bool(elsewhere))).stdout)
                self.assertEqual((report["missing"], report["elsewhere"]), ([], elsewhere))
                run = self.run_tool("missing", "client.so", code=int(bool(elsewhere)))
                self.assertEqual(run.stdout, "".join(f"{name} is in {home}, which the file does not link\n"
                                                     for name, home in sorted(elsewhere.items())))

    # Commands that fail.

    def test_wrong_usage_ends_with_2_and_one_line(self):
        given = [*LOGIT, "x=x.npy", "dy=dy.npy"]
        for arguments, text in (
            ([], "expected a command; portacl --help lists them"),
            (["rnu"], "unknown command 'rnu' (did you mean 'run'?)"),
            (["run"], "run: OPERATOR is required"),
            (["missing"], "missing: FILE is required"),
            (["run", "aclnnLogitGard"], "unknown operator 'aclnnLogitGard' (did you mean 'aclnnLogitGrad', 'aclnnLogit' or 'aclnn"),
            (["bench", "nothing"], "unknown operator 'nothing'"),
            (["ops", "sotfmax"], "unknown operator 'sotfmax' (did you mean 'aclnnSoftmax'?); 'portacl ops' lists all"),
            (["ops", "los"], "'loss'"),
            ([*given, "eps=-1", "--verfy"], "unexpected '--verfy' (did you mean '--verify'?)"),
            ([*given, "esp=-1"], "has no argument 'esp' (did you mean 'eps'?)"),
            ([*given, "eps=-1", "eps=1"], "argument 'eps' is given twice"),
            ([*given, "eps=one"], "argument 'eps': expected a number, got 'one'"),
            ([*given, "eps"], "expected NAME=VALUE, got 'eps'; 'portacl ops aclnnLogitGrad' lists the names"),
            (given, "needs eps=VALUE: a number"),
            ([*given, "eps=-1", "--dtype", "bf17"], "got 'bf17' (did you mean 'BF16'?)"),
            ([*given, "eps=-1", "--repeat", "-1"], "--repeat: expected a number from 1"),
            ([*given, "eps=-1", "--repeat", "x"], "--repeat"),
            ([*given, "eps=-1", "--soc", "Ascend910C"], "unknown SoC 'Ascend910C' (did you mean 'Ascend910"),
            (["bench", "--seconds", "0"], "--seconds: expected more than 0 and at most 3600, got 0"),
            (["bench", "--size", "L1"], "--size: expected L2, L3, DRAM or all, got 'L1'"),
            (["bench", "--threads", "0"], "--threads: expected 1 to 1024, got 0"),
            (["bench", "--dtype", "bf17"], "--dtype: expected a dtype of numbers, got 'bf17'"),
            (["bench", "hccl", "--ranks", "0"], "--ranks: expected 1 to 64, got 0"),
            (["accuracy", "--seconds", "0"], "--seconds: expected more than 0 and at most 86400, got 0"),
            (["accuracy", "nothing"], "unknown operator 'nothing'"),
            ([*given, "eps=-1", "out=random:3"], "argument 'out': expected a file to write, got 'random:3'"),
            (["run", "aclnnInplaceCopy", "src=x.npy", "selfRef=x.npy,random:3"], "'selfRef': expected a file to write, got 'random:3'"),
            ([*LOGIT, "x=random:9999999999,9999999999", "dy=dy.npy", "eps=-1"], "too many elements"),
        ):
            with self.subTest(arguments=arguments):
                if not arguments:
                    run = subprocess.run(COMMAND, capture_output=True, text=True, check=False)
                    self.assertEqual((run.returncode, run.stdout), (2, ""))
                    self.assertIn(text, run.stderr)
                else:
                    self.assertIn(text, self.complaint(2, *arguments))

    def test_files_that_cannot_be_read(self):
        good = npy(self.x, shape=(2, 3))
        for name, content, text in (
            ("none.npy", None, "none.npy: No such file or directory"),
            ("empty.npy", b"", "not a .npy file"),
            ("text.npy", b"0.1 0.2 0.3 0.4", "not a .npy file"),
            ("cut.npy", good[:-1], "the data is truncated"),
            ("long.npy", good + b"x", "there are bytes after the data"),
            ("huge.npy", npy([], shape=(1 << 40,)), "the data is truncated"),
            ("times.npy", good.replace(b"<f4", b"<m8"), "elements of type '<m8'"),
            ("type.npy", good.replace(b"<f4", b"\x1b]\x07"), "elements of type '\\x1b]\\x07'"),
            ("key.npy", good.replace(b"descr", b"\x1b[2J\x9b"), "unexpected key '\\x1b[2J\\x9b'"),
        ):
            with self.subTest(name=name):
                if content is not None:
                    self.file(name, content)
                self.assertIn(f"portacl: {name}: ", self.complaint(1, *LOGIT, f"x={name}", "dy=dy.npy", "eps=-1"))
                self.assertIn(text, self.complaint(1, *LOGIT, f"x={name}", "dy=dy.npy", "eps=-1"))
        self.assertIn("not a .npy file", self.complaint(1, *LOGIT, f"x={self.folder}", "dy=dy.npy", "eps=-1"))

    def test_what_the_library_refuses_is_said_in_its_words(self):
        self.file("short.npy", npy([1.0]))
        self.file("ints.npy", npy([1] * 6, "q", shape=(2, 3)))
        self.assertIn("returned 161002: AclNN_Parameter_Error(EZ1001): aclnnLogitGrad: argument 'dy': expected [2,3] (shape of 'x'), got [1]",
                      self.complaint(1, *LOGIT, "x=x.npy", "dy=short.npy", "eps=-1"))
        self.assertIn("got INT64", self.complaint(1, *LOGIT, "x=ints.npy", "dy=ints.npy", "eps=-1"))
        self.assertIn("rank", self.complaint(1, *LOGIT, "x=random:1,1,1,1,1,1,1,1,1", "dy=random:1", "eps=-1"))
        self.assertIn("returned 561003", self.complaint(1, *LOGIT, "x=x.npy", "dy=dy.npy", "eps=-1", "--soc", "Ascend310P"))
        self.assertIn("expected [2,3] (shape of 'x'), got [7]",
                      self.complaint(1, *LOGIT, "x=x.npy", "dy=dy.npy", "eps=-1", "--shape", "out=7"))
        self.assertIn("Ascend310P has no aclnnLogitGrad; 'portacl ops aclnnLogitGrad' lists dtypes, --soc chooses another SoC",
                      self.complaint(1, "bench", "aclnnLogitGrad", "--soc", "Ascend310P"))

    def test_outputs_that_cannot_be_written(self):
        for path, text in (("/dev/full", "No space left on device"), ("/no/folder/out.npy", "No such file or directory"),
                           (".", "Is a directory")):
            self.assertIn(f"portacl: {path}: {text}", self.complaint(1, *LOGIT, "x=x.npy", "dy=dy.npy", "eps=-1", f"out={path}"))

    def test_a_product_that_is_not_understood_is_said_once(self):
        run = self.run_tool("ops", "aclnnLogitGrad", PORTACL_SOC="Turing")
        self.assertRegex(run.stderr, r"^\[ERROR\] PORTACL\(\d+\) .*PORTACL_SOC.*'Turing'.*\n$")
        self.assertEqual(self.run_tool("ops", PORTACL_SOC="Ascend910_95").stderr, "")

    def test_a_full_disk_behind_the_standard_output(self):
        for arguments in (["info"], ["info", "--json"], ["ops"], ["ops", "--json"], ["version"], ["--version"], ["--help"],
                          [*LOGIT, "x=x.npy", "dy=dy.npy", "eps=-1"], ["missing", "/proc/self/exe", "--json"],
                          ["bench", "logit", "--size", "L2", "--seconds", "0.001"]):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                run = subprocess.run([*COMMAND, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True,
                                     check=False)
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertIn("No space left on device", run.stderr)

    @unittest.skipIf("PORTACL_SANITIZED" in os.environ, "a sanitizer ends the process instead")
    def test_too_little_memory(self):
        self.assertIn("not enough memory", self.complaint(1, *LOGIT, "x=random:99999999999999", "dy=dy.npy", "eps=-1"))

    def test_files_that_are_no_programs(self):
        self.file("text", b"nothing")
        self.file("cut", pathlib.Path("/proc/self/exe").read_bytes()[:1000])
        for name, text in (("none", "No such file"), ("text", "not an ELF file"), ("cut", "the ELF file is truncated"), (".", "not an ELF")):
            self.assertIn(f"portacl: {name}: {text}", self.complaint(1, "missing", name))

    # Completion, manual.

    def complete(self, *words):
        quoted = " ".join(f"'{word}'" for word in words)
        tool = SOURCE / "src/tool/portacl.bash"
        script = (f"portacl() {{ {' '.join(COMMAND)} \"$@\"; }}; complete() {{ :; }}; source '{tool}'; COMP_WORDS=({quoted}); "
                  f"COMP_CWORD={len(words) - 1}; _portacl; echo \"${{COMPREPLY[@]}}\"")
        return subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, check=True).stdout.split()

    def test_completion(self):
        self.assertEqual(self.complete("portacl", "mi"), ["missing"])
        for word in ("aclnnLogitG", "LogitG", "logitg"):
            self.assertEqual(self.complete("portacl", "run", word), ["aclnnLogitGrad"])
        self.assertEqual(self.complete("portacl", "run", "aclnnLogitGrad", "e"), ["eps="])
        self.assertEqual(self.complete("portacl", "run", "aclnnLogitGrad", "x", "=", "x.n"), ["x.npy"])
        self.assertEqual(self.complete("portacl", "run", "aclnnLogitGrad", "--ver"), ["--verify"])
        self.assertEqual(self.complete("portacl", "missing", "dy"), ["dy.npy"])

    def test_manual_has_every_command(self):
        manual = (SOURCE / "src/tool/portacl.1").read_text(encoding="utf-8")
        for command in COMMANDS:
            self.assertIn(f".SS portacl {command}", manual)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
