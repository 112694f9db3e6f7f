"""The process in which OmniGibson runs. It needs OmniGibson's own interpreter and nothing of this program.

Python 3.10 syntax, the standard library and omnigibson only. This folder is under the MIT licence (LICENSE).
"""
