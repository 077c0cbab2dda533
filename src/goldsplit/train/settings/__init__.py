"""Where the options of a training come from: defaults, a profile, variables, `--set`, options of the command.

Later wins. `option_values` knows types and limits, `given` reads the places, `settling` puts them together,
and `options_file` writes what came out, so that it can be read again as a profile.
"""
