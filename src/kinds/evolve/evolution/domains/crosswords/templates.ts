/**
 * Empty grids: `-` is a square to fill, `#` a black one. Each is the same when turned by half a turn, as the custom is,
 * and has words of 3 to 5 letters only.
 */
export const TEMPLATES: readonly (readonly string[])[] = [
  ['---', '---', '---'],
  ['---#', '----', '----', '#---'],
  ['#---', '----', '----', '---#'],
  ['-----', '-#-#-', '-----', '-#-#-', '-----'],
  ['----#', '-#---', '-----', '---#-', '#----'],
];
