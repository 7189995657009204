// Words of the search over everything.

/** Texts of the page of results. */
export const searchStrings = {
  'search.title': 'Search',
  'search.words': 'Words in records',
  'search.words.help': '“two words” finds a phrase, -word leaves records out.',
  'search.find': 'Search',
  'search.lead': 'Finds records of all objects you may read by the beginnings of their words.',
  'search.none': 'No record has all of “{words}”',
  'search.none.text': 'Use fewer words, or their beginnings. Deleted records are in the trash.',
  'search.trash': 'Look into the trash',
  'search.all': 'Everything ({count})',
  'search.filters': 'Objects with results',
  'search.shown': 'The best {shown} of {total} are shown. Open the object to see all.',
  'search.openObject': 'Show all in {object}',
  'search.incomplete': 'Not all could be searched in time: {objects}. Try again in a moment.',
  'search.match': '{field}:',
} as const
