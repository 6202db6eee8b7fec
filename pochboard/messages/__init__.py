"""All words that people see, in whole sentences that can be translated.

English is the source language. Sentences stand as literals in calls of `gettext`, `ngettext`,
`pgettext`, `gettext_noop` and `ngettext_noop`, where `pybabel extract` finds them.
"""
