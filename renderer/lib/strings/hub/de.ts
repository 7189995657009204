// Owns the German words of the area hub.
import type { hubStrings } from './en.ts'

/** The German words of {@link hubStrings}. */
export const hubGerman: Record<keyof typeof hubStrings, string> = {
  'hub.lead':
    'Mehrere Rechner halten diesen Arbeitsbereich: Einer führt, die anderen folgen und übernehmen, wenn er ausfällt.',
  'hub.alone': 'Kein anderer Rechner folgt: Starte einen, damit jemand übernehmen kann.',
  'hub.old': 'Die neueste Kopie ist älter als zwei Tage: siehe logs/hub der Rechner, die folgen.',
  'hub.unsafe': 'PostgreSQL kann verlieren, was es bestätigt hat, wegen seiner Einstellungen: {settings}.',
  'hub.silent': 'Der Hub antwortet nicht. Du siehst den Stand vom {when}.',
  'hub.handover':
    'Bevor der führende Rechner aktualisiert oder abgeschaltet wird, lass einen anderen führen: {command}',
  'hub.nodes': 'Rechner',
  'hub.address': 'Adresse',
  'hub.state': 'Zustand',
  'hub.state.leads': 'Führt',
  'hub.state.follows': 'Folgt',
  'hub.state.gone': 'Weg',
  'hub.behind': 'Zeilen zurück',
  'hub.seen': 'Zuletzt gesehen',
  'hub.snapshot': 'Neueste Kopie',
  'hub.unchecked': 'noch nicht geprüft',
  'hub.restorable': 'Zurück bis',
}
