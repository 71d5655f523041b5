# SPDX-License-Identifier: Apache-2.0
"""Packs what CMake has built into a wheel: setup.py bdist_wheel, in a copy of the package (python/run)."""
import os

from setuptools import Distribution, setup


class Compiled(Distribution):
    def has_ext_modules(self):
        return True


setup(name="framegov", version=os.environ["FRAMEGOV_VERSION"], distclass=Compiled, packages=["framegov"],
      package_data={"framegov": ["_core*.so"]}, python_requires=">=3.11", license="Apache-2.0",
      description="Simulator of frame-aware CPU frequency governors", install_requires=["numpy", "pandas"])
