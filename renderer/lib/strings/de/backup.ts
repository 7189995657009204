// Owns the German words of the area backup.
import type { backupStrings } from '../en/backup.ts'

/** The German words of {@link backupStrings}. */
export const backupGerman: Record<keyof typeof backupStrings, string> = {
  'backup.lead':
    'Kopien des ganzen Arbeitsbereichs, beim Erstellen geprüft. Jede Nacht und vor jedem Upgrade entsteht eine.',
  'backup.absent': 'Dieser Host führt keine Sicherungen',
  'backup.denied': 'Nur wer Sicherungen wiederherstellen darf, sieht sie.',
  'backup.none': 'Noch keine Sicherung',
  'backup.none.text': 'Die erste entsteht heute Nacht. Vor Experimenten jetzt eine erstellen.',
  'backup.make': 'Jetzt sichern',
  'backup.making': 'Wird gesichert: {percent} %',
  'backup.checking': 'Die Kopie wird geprüft',
  'backup.made': 'Die Sicherung ist da und geprüft.',
  'backup.column.kind': 'Anlass',
  'backup.column.state': 'Geprüft',
  'backup.column.note': 'Notiz',
  'backup.kind.manual': 'Von Hand',
  'backup.kind.daily': 'Jede Nacht',
  'backup.kind.weekly': 'Jede Woche',
  'backup.kind.upgrade': 'Vor einem Upgrade',
  'backup.kind.pairing': 'Vor einer Kopplung',
  'backup.sound': 'In Ordnung',
  'backup.damaged': 'Beschädigt',
  'backup.verify': 'Prüfen',
  'backup.verifyOf': 'Sicherung vom {made} prüfen',
  'backup.verified': 'Die Sicherung vom {made} ist in Ordnung: Jedes Byte ist wie zuvor.',
  'backup.broken': 'Die Sicherung vom {made} ist beschädigt: {problem}',
  'backup.deleteOf': 'Sicherung vom {made} löschen',
  'backup.delete.title': 'Sicherung vom {made} löschen?',
  'backup.delete.body': 'Was nur diese Sicherung enthält, lässt sich nicht mehr zurückholen.',
  'backup.deleted': 'Die Sicherung wurde gelöscht.',
  'backup.restore.what':
    'Datensätze, Definitionen und Einstellungen werden, was sie damals waren. Konten, Schlüssel und Rechte bleiben.',
  'backup.restore.saved': 'Zuerst wird der jetzige Stand gesichert, damit du zu ihm zurückkehren kannst.',
  'backup.restore.restart':
    'Cairn startet neu. Alle, die damit arbeiten, werden unterbrochen und müssen sich vielleicht neu anmelden.',
  'backup.restore.comparing': 'Die Sicherung wird mit dem jetzigen Stand verglichen',
  'backup.restore.same': 'Datensätze und Definitionen sind dieselben wie jetzt.',
  'backup.restore.then': 'Damals',
  'backup.restore.returning': 'Kehren zurück',
  'backup.restore.going': 'Entfallen',
  'backup.restore.reverting': 'Werden älter',
  'backup.restore.definitions': 'Definitionen',
  'backup.change.returning': 'kehrt zurück',
  'backup.change.going': 'entfällt',
  'backup.change.reverting': 'wird wie damals',
  'backup.restore.moreDefinitions.one': 'und {count} weitere',
  'backup.restore.moreDefinitions.other': 'und {count} weitere',
  'backup.restore.sure': 'Ich will den Arbeitsbereich vom {made}',
  'backup.restore.do': 'Wiederherstellen und neu starten',
  'backup.restoring': 'Die Sicherung wird wiederhergestellt',
  'backup.restoring.text':
    'Cairn sichert den jetzigen Stand, setzt die Sicherung ein und startet neu. Diese Seite kehrt von selbst zurück.',
  'backup.restoring.long':
    'Es dauert länger als üblich. Wurde Cairn in einem Terminal ohne Überwachung gestartet, dort neu starten.',
}
