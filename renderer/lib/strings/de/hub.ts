// Owns the German words of the area hub.
import type { hubStrings } from '../en/hub.ts'

/** The German words of {@link hubStrings}. */
export const hubGerman: Record<keyof typeof hubStrings, string> = {
  'settings.part.hub': 'Hub',
  'hub.lead':
    'Mehrere Rechner halten diesen Arbeitsbereich. Einer führt, die anderen folgen und übernehmen, wenn er ausfällt.',
  'hub.nodes': 'Rechner',
  'hub.address': 'Adresse',
  'hub.state': 'Zustand',
  'hub.state.leads': 'Führt',
  'hub.state.follows': 'Folgt',
  'hub.state.gone': 'Weg',
  'hub.behind': 'Zeilen zurück',
  'hub.seen': 'Zuletzt gesehen',
  'hub.snapshot': 'Neueste Kopie',
  'hub.snapshot.none': 'keine',
  'hub.checked': 'von einem anderen Rechner geprüft',
  'hub.unchecked': 'noch nicht geprüft',
  'hub.restorable': 'Zurück bis',
  'hub.log': 'Protokoll',
  'hub.alone': 'Kein anderer Rechner folgt',
  'hub.alone.text': 'Fällt dieser aus, übernimmt niemand. Starte einen weiteren.',
  'hub.old': 'Die neueste Kopie ist älter als zwei Tage',
  'hub.old.text': 'Der Grund steht in logs/hub der Datenordner der Rechner, die folgen.',
  'hub.handover':
    'Bevor der führende Rechner aktualisiert oder abgeschaltet wird, lass einen anderen führen: {command}',
  'hub.denied': 'Nur wer Einstellungen verwalten darf, sieht den Hub.',
}
