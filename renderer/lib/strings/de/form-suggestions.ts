// Owns the German words of the area form-suggestions.
import type { formSuggestionStrings } from '../en/form-suggestions.ts'

/** The German words of {@link formSuggestionStrings}. */
export const formSuggestionGerman: Record<keyof typeof formSuggestionStrings, string> = {
  'formSuggestions.ask': 'Werte vorschlagen',
  'formSuggestions.none': 'Noch nichts vorzuschlagen. Tragen Sie ein, was Sie wissen, und fragen Sie noch einmal.',
  'formSuggestions.found.one': '{count} Vorschlag. Eingetragen wird er erst, wenn Sie ihn übernehmen.',
  'formSuggestions.found.other': '{count} Vorschläge. Eingetragen wird einer erst, wenn Sie ihn übernehmen.',
  'formSuggestions.take': '{value} für „{field}“ übernehmen',
  'formSuggestions.leave': 'Vorschlag für „{field}“ verwerfen',
  'formSuggestions.leaveShort': 'Verwerfen',
}
