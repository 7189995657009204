// Words of the groups of field types; what a type is called, its entry in fields/types says.

/** Texts of the groups of types. */
export const fieldTypeStrings = {
  'typeGroup.text': 'Text',
  'typeGroup.number': 'Numbers',
  'typeGroup.choice': 'Choices',
  'typeGroup.date': 'Dates and times',
  'typeGroup.relation': 'Relations',
  'typeGroup.computed': 'Computed',
  'typeGroup.structure': 'Structured',
  'typeGroup.file': 'Files',
  'typeGroup.other': 'Special',
} as const
