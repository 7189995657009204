// Owns the German words of the area sync-aside.
import type { syncAsideStrings } from '../en/sync-aside.ts'

/** The German words of {@link syncAsideStrings}. */
export const syncAsideGerman: Record<keyof typeof syncAsideStrings, string> = {
  'aside.join.title': 'Dieses Gerät enthält schon Daten',
  'aside.join.text':
    'Sie bleiben allein auf diesem Gerät: Nichts davon mischt sich mit dem Arbeitsbereich, und niemand sonst sieht sie. Danach lassen sie sich Objekt für Objekt einbringen. Zuerst entsteht eine Sicherung.',
  'aside.join.keep': 'Beitreten und das Vorhandene auf diesem Gerät behalten',
  'aside.join.missing':
    'Bestätigen, dass das Vorhandene auf diesem Gerät bleibt. Sonst kann nur ein leeres Gerät beitreten.',
  'aside.title': 'Nur auf diesem Gerät',
  'aside.lead':
    'Diese Datensätze waren auf diesem Gerät, bevor es dem Arbeitsbereich beitrat. Sie bleiben hier, und du kannst mit ihnen weiterarbeiten. Niemand sonst sieht sie, bis du sie einbringst.',
  'aside.list': 'Datensätze, die nur auf diesem Gerät sind',
  'aside.what': 'Einbringen',
  'aside.adopt': 'Einbringen',
  'aside.adoptOf': '„{label}“ einbringen',
  'aside.alone': 'Der Arbeitsbereich hat dieses Objekt nicht. Ein Gerät der Administration muss es hinzufügen.',
  'aside.adopt.title': '„{label}“ in den Arbeitsbereich einbringen?',
  'aside.adopt.body.one':
    '{count} Datensatz geht mit seinen Kommentaren an alle Geräte des Arbeitsbereichs, als deiner. Dateien bleiben auf diesem Gerät. Andere Geräte behalten, was sie haben, auch wenn du es hier später löschst.',
  'aside.adopt.body.other':
    '{count} Datensätze gehen mit ihren Kommentaren an alle Geräte des Arbeitsbereichs, als deine. Dateien bleiben auf diesem Gerät. Andere Geräte behalten, was sie haben, auch wenn du es hier später löschst.',
  'aside.adopt.define': 'Das Objekt selbst und worauf es verweist, kommen mit.',
  'aside.adopt.done': '„{label}“ ist unterwegs zu den anderen Geräten.',
}
