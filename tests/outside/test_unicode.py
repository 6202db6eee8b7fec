"""Which characters are not seen, as a JavaScript engine knows Unicode."""

import json
import shutil
import subprocess

from pochboard.text.unicode_names import sight

_PRINT = """
const found = [];
for (let point = 0; point < 0x110000; point++)
  if (/\\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(point))) found.push(point);
console.log(JSON.stringify(found));
"""


def test_no_character_that_unicode_says_to_ignore_tells_names_apart() -> None:
    node = shutil.which("node")
    assert node is not None
    done = subprocess.run([node, "-e", _PRINT], capture_output=True, check=True, timeout=60)
    points = json.loads(done.stdout)
    assert len(points) > 4_000
    assert [hex(point) for point in points if sight(f"An{chr(point)}na") != "Anna"] == []
