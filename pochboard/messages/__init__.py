"""All words that people see, in whole sentences that can be translated.

English is the source language. Every sentence is a literal in a call of `gettext`, `ngettext`,
`pgettext`, `gettext_noop` or `ngettext_noop`, so that `pybabel extract` finds it.
"""
