// Owns the German words of the area search.
import type { searchStrings } from '../en/search.ts'

/** The German words of {@link searchStrings}. */
export const searchGerman: Record<keyof typeof searchStrings, string> = {
  'search.title': 'Suche',
  'search.words': 'Wörter in Datensätzen',
  'search.words.help': '„zwei Wörter“ findet eine Wortfolge, -wort schließt Datensätze aus.',
  'search.find': 'Suchen',
  'search.lead': 'Findet Datensätze aller Objekte, die du lesen darfst, an den Anfängen ihrer Wörter.',
  'search.none': 'Kein Datensatz enthält alles aus „{words}“',
  'search.none.text': 'Weniger Wörter verwenden oder nur ihre Anfänge. Gelöschte Datensätze sind im Papierkorb.',
  'search.trash': 'Im Papierkorb nachsehen',
  'search.all': 'Alles ({count})',
  'search.filters': 'Objekte mit Ergebnissen',
  'search.shown': 'Die besten {shown} von {total} sind zu sehen. Das Objekt öffnen, um alle zu sehen.',
  'search.openObject': 'Alle in „{object}“ zeigen',
  'search.incomplete': 'Nicht alles ließ sich rechtzeitig durchsuchen: {objects}. Gleich erneut versuchen.',
  'search.match': '{field}:',
}
