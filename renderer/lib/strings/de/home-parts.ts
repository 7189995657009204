// Owns the German words of the area home-parts.
import type { homePartStrings } from '../en/home-parts.ts'

/** The German words of {@link homePartStrings}. */
export const homePartGerman: Record<keyof typeof homePartStrings, string> = {
  'home.recents': 'Zuletzt geöffnet',
  'home.pin': '„{label}“ anheften',
  'home.unpin': '„{label}“ lösen',
  'home.changes': 'Von anderen geändert, seit du zuletzt hier warst',
  'home.changes.since': 'Seit {when}',
  'home.changes.none': 'Seit {when} haben andere nichts geändert.',
  'home.changes.of.one': '{object}: {count} Datensatz',
  'home.changes.of.other': '{object}: {count} Datensätze',
  'home.changes.by': '{title}, von {name}',
  'home.next': 'Wie weiter?',
  'home.next.hide': 'Ich kenne mich aus',
  'home.next.fields': 'Felder von „{object}“ durchsehen: Typen, Regeln, Auswahl',
  'home.next.view': '„{object}“ filtern und gruppieren, als Kanban oder Kalender sehen und das als Ansicht speichern',
  'home.next.dashboard': 'Zahlen aus „{object}“ auf einem Dashboard zeigen',
  'home.next.people': 'Jemanden einladen und festlegen, was zu sehen ist',
  'home.next.device': 'Auf einem zweiten Rechner nutzen',
  'home.next.backup': 'Die Sicherungen ansehen, die jede Nacht entstehen',
  'home.next.keys': '? zeigt die Tasten, Strg+K findet alles.',
}
