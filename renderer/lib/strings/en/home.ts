// Words of the first screen.

/** Texts of home. */
export const homeStrings = {
  'home.question': 'What do you want to keep track of?',
  'home.title': 'Home',
  'home.lead':
    'Paste a table you already have. Cairn guesses the columns, and you have it as an object with an API in a minute.',
  'home.blank': 'Start with a blank object',
  'home.or': 'No data yet?',
  'home.elsewhere': 'Is it on another machine already?',
  'home.join': 'Join another device',
  'home.objects': 'Your objects',
  'home.records.one': '{count} record',
  'home.records.other': '{count} records',
  'home.fields.one': '{count} field',
  'home.fields.other': '{count} fields',
  'home.add': 'New object from a file',
  'home.local': 'Everything stays on this machine, in one file.',
} as const
