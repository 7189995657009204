// Owns the German words of the area home.
import type { homeStrings } from '../en/home.ts'

/** The German words of {@link homeStrings}. */
export const homeGerman: Record<keyof typeof homeStrings, string> = {
  'home.question': 'Worüber willst du den Überblick behalten?',
  'home.lead':
    'Füge eine Tabelle ein, die du schon hast. Cairn errät die Spalten, und in einer Minute ist sie ein Objekt mit API.',
  'home.blank': 'Mit einem leeren Objekt beginnen',
  'home.or': 'Noch keine Daten?',
  'home.elsewhere': 'Schon auf einem anderen Rechner?',
  'home.objects': 'Deine Objekte',
  'home.fields.one': '{count} Feld',
  'home.fields.other': '{count} Felder',
  'home.local': 'Alles bleibt auf diesem Rechner, in einer Datei.',
}
