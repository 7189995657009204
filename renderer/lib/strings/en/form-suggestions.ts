// Words of suggestions while a form is filled.

/** Texts of these suggestions. */
export const formSuggestionStrings = {
  'formSuggestions.ask': 'Suggest values',
  'formSuggestions.none': 'Nothing to suggest yet. Fill in what you know, then ask again.',
  'formSuggestions.found.one': '{count} suggestion. Nothing is filled in until you take it.',
  'formSuggestions.found.other': '{count} suggestions. Nothing is filled in until you take it.',
  'formSuggestions.take': 'Take {value} for {field}',
  'formSuggestions.leave': 'Dismiss the suggestion for {field}',
  'formSuggestions.leaveShort': 'Dismiss',
} as const
