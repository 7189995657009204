// Words of the parts of the object designer beside its fields: preview, relations, views, rights, translations, draft.

/** Texts of these parts. */
export const designerPartStrings = {
  'designer.tab.relations': 'Relations',
  'designer.tab.views': 'Views',
  'designer.tab.permissions': 'Permissions',
  'designer.tab.translations': 'Translations',

  'field.dialog.more': 'More: {parts}',

  'preview.title': 'Preview',
  'preview.list': 'Preview of {object}',
  'preview.lead': 'The first records as they will look once the draft is saved.',
  'preview.none': 'There are no records to show. Only the columns will be here.',
  'preview.lost': 'not kept',
  'preview.failed': 'The records for the preview could not be read.',

  'draft.kept': 'Kept on this device until you save or discard it.',
  'draft.back': 'Your draft is back. Nothing of it is saved yet.',
  'draft.discarded': 'Draft discarded',

  'fields.drag': 'Drag to move {field}',

  'relations.lead': 'What links to {object}, and what it links to.',
  'relations.diagram': 'Diagram of the relations of {object}',
  'relations.list': 'Relations of {object}',
  'relations.none': 'No links yet. A field of the type “Link to a record” connects this object with another one.',
  'relations.field': 'By the field',
  'relations.to': 'Links to',

  'objectViews.none': 'No views are stored for this object. Set its records up and save them as a view.',
  'objectViews.lead': 'The stored views of this object. They are changed above its records.',
  'objectViews.personal': 'Only you',
  'objectViews.shared': 'Everybody',

  'objectRights.lead': 'What profiles and permission sets allow here. Each is changed on its own page.',
  'objectRights.list': 'Rights for {object}',
  'objectRights.nothing': 'nothing',
  'objectRights.everything': 'everything',

  'labels.lead': 'What the object and its fields are called in another language. An empty one stays.',
  'labels.language': 'Language',
  'labels.plural': 'Several of it',
  'labels.of': '{label} in {language}',
  'labels.save': 'Save translations',
  'labels.saved': 'Translations saved',
  'labels.conflict': 'The translations were changed elsewhere. What you typed is kept; save again to add it.',
} as const
