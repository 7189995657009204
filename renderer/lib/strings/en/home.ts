// Words of the first screen.

/** Texts of home. */
export const homeStrings = {
  'home.question': 'What do you want to keep track of?',
  'home.lead': 'Paste a table you have: Cairn guesses the columns, and it is an object with an API in a minute.',
  'home.blank': 'Start with a blank object',
  'home.or': 'No data yet?',
  'home.elsewhere': 'Is it on another machine already?',
  'home.objects': 'Your objects',
  'home.fields.one': '{count} field',
  'home.fields.other': '{count} fields',
  'home.local': 'Everything stays on this machine, in one file.',
} as const
