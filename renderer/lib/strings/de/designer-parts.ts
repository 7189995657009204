// Owns the German words of the area designer-parts.
import type { designerPartStrings } from '../en/designer-parts.ts'

/** The German words of {@link designerPartStrings}. */
export const designerPartGerman: Record<keyof typeof designerPartStrings, string> = {
  'designer.tab.relations': 'Beziehungen',
  'designer.tab.views': 'Ansichten',
  'designer.tab.permissions': 'Berechtigungen',
  'designer.tab.translations': 'Übersetzungen',
  'field.dialog.more': 'Mehr: {parts}',
  'preview.title': 'Vorschau',
  'preview.list': 'Vorschau auf {object}',
  'preview.lead': 'So sehen die ersten Datensätze aus, sobald der Entwurf gespeichert ist.',
  'preview.none': 'Es gibt keine Datensätze zu zeigen. Hier stehen nur die Spalten.',
  'preview.lost': 'entfällt',
  'preview.failed': 'Die Datensätze für die Vorschau konnten nicht gelesen werden. Der Entwurf bleibt unberührt.',
  'draft.kept': 'Auf diesem Gerät aufbewahrt, bis du ihn speicherst oder verwirfst.',
  'draft.back': 'Dein Entwurf ist wieder da. Noch ist nichts davon gespeichert.',
  'draft.discarded': 'Entwurf verworfen',
  'fields.drag': 'Zum Verschieben ziehen: {field}',
  'relations.lead': 'Was auf {object} verweist, und worauf es verweist.',
  'relations.diagram': 'Schaubild der Beziehungen: {object}',
  'relations.list': 'Beziehungen: {object}',
  'relations.none':
    'Noch keine Verknüpfungen. Füge ein Feld vom Typ „Verknüpfung mit einem Datensatz“ hinzu, um dieses Objekt mit einem anderen zu verbinden.',
  'relations.field': 'Über das Feld',
  'relations.to': 'Verweist auf',
  'objectViews.none':
    'Für dieses Objekt sind keine Ansichten gespeichert. Öffne seine Datensätze, stelle sie ein und speichere sie als Ansicht.',
  'objectViews.lead': 'Die gespeicherten Ansichten dieses Objekts. Geändert werden sie über seinen Datensätzen.',
  'objectViews.personal': 'Nur dich',
  'objectViews.shared': 'Alle',
  'objectRights.lead':
    'Was Profile und Berechtigungssätze für dieses Objekt erlauben. Geändert wird jedes auf seiner eigenen Seite.',
  'objectRights.list': 'Berechtigungen: {object}',
  'objectRights.nothing': 'nichts',
  'objectRights.everything': 'alles',
  'labels.lead': 'Wie das Objekt und seine Felder in einer anderen Sprache heißen. Was leer bleibt, heißt wie bisher.',
  'labels.language': 'Sprache',
  'labels.plural': 'Mehrzahl',
  'labels.of': '{label} auf {language}',
  'labels.save': 'Übersetzungen speichern',
  'labels.saved': 'Übersetzungen gespeichert',
  'labels.conflict':
    'Die Übersetzungen wurden anderswo geändert. Deine Eingaben bleiben erhalten; speichere noch einmal, um sie hinzuzufügen.',
}
