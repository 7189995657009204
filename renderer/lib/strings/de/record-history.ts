// Owns the German words of the area record-history.
import type { recordHistoryStrings } from '../en/record-history.ts'

/** The German words of {@link recordHistoryStrings}. */
export const recordHistoryGerman: Record<keyof typeof recordHistoryStrings, string> = {
  'history.restoreAll': 'Datensatz auf diesen Stand zurücksetzen',
  'history.restoreAll.of': 'Datensatz auf diesen Stand zurücksetzen: {time}',
  'history.restoreAll.title': 'Datensatz auf den Stand von {time} zurücksetzen?',
  'history.restoreAll.body.one':
    'Dieses Feld erhält seinen damaligen Wert: {fields}. Das ist eine Änderung wie jede andere: Rückgängig nimmt sie zurück.',
  'history.restoreAll.body.other':
    '{count} Felder erhalten ihre damaligen Werte: {fields}. Das ist eine Änderung wie jede andere: Rückgängig nimmt sie zurück.',
  'history.restoreAll.confirm': 'Zurücksetzen',
  'history.restoreAll.done.one': '{count} Feld ist wieder, wie es war. Rückgängig nimmt das zurück.',
  'history.restoreAll.done.other': '{count} Felder sind wieder, wie sie waren. Rückgängig nimmt das zurück.',
  'history.restoreAll.refused': 'Nicht zurückgesetzt: {problems} Der Datensatz ist wie zuvor.',
  'history.restoreAll.same': 'Der Datensatz enthält schon, was er damals enthielt.',
  'activity.today': 'Heute',
  'activity.yesterday': 'Gestern',
  'activity.run.one': '{name}: {count} Änderung',
  'activity.run.other': '{name}: {count} Änderungen',
}
