// Owns the German words of the area record-links.
import type { recordLinkStrings } from '../en/record-links.ts'

/** The German words of {@link recordLinkStrings}. */
export const recordLinkGerman: Record<keyof typeof recordLinkStrings, string> = {
  'related.none': 'Noch nichts aus {object} verweist hierher.',
  'related.add.of': 'Hinzufügen zu: {list}',
  'related.rows': 'Datensätze: {list}',
  'related.link': 'Vorhandenen verknüpfen',
  'related.link.of': 'Vorhandene Datensätze verknüpfen: {list}',
  'related.link.title': 'Verknüpfen: {list}',
  'related.link.help':
    'Gib einen Teil seines Namens ein. Ein Datensatz, der anderswohin verweist, verweist dann hierher.',
  'related.link.missing': 'Wähle einen Datensatz.',
  'related.link.done': 'Verknüpft. Rückgängig nimmt das zurück.',
  'related.unlink.of': 'Verknüpfung lösen: {record}',
  'related.unlinked': 'Verknüpfung gelöst, nichts gelöscht. Rückgängig nimmt das zurück.',
  'related.more.one': '{count} weiteren zeigen',
  'related.more.other': '{count} weitere zeigen',
  'related.all': 'Alle {count} zeigen',
  'record.files': 'Dateien',
  'record.files.of': 'Dateien: {field}',
  'record.files.none': 'Noch keine Dateien. Ziehe sie auf ein Feld für Dateien.',
}
