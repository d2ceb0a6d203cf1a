/**
 * Empty grids: `-` is a square to fill, `#` a black one. Each is symmetric under half a turn, as is customary, and has
 * only words of 3 to 5 letters.
 */
export const TEMPLATES: readonly (readonly string[])[] = [
  ['---', '---', '---'],
  ['---#', '----', '----', '#---'],
  ['#---', '----', '----', '---#'],
  ['-----', '-#-#-', '-----', '-#-#-', '-----'],
  ['----#', '-#---', '-----', '---#-', '#----'],
];
