// Words of what a device held before it joined a workspace: keeping it to itself, and bringing it in.

/** Texts of what is kept aside. */
export const syncAsideStrings = {
  'aside.join.title': 'This device already holds data',
  'aside.join.text':
    'It stays on this device alone, and nobody else sees it. You can bring it in afterwards, object by object. A backup is made first.',
  'aside.join.keep': 'Join, and keep what is here on this device',
  'aside.join.missing': 'Say that what is here stays on this device. Else only an empty device can join.',
  'aside.title': 'Only on this device',
  'aside.lead':
    'This device held these records before it joined the workspace. You can go on working with them; nobody else sees them until you bring them in.',
  'aside.list': 'Records that are on this device alone',
  'aside.what': 'Bringing them in',
  'aside.adopt': 'Bring in',
  'aside.adoptOf': 'Bring in {label}',
  'aside.alone': 'The workspace does not have this object. A device of an administrator has to add it.',
  'aside.adopt.title': 'Bring {label} into the workspace?',
  'aside.adopt.body.one':
    '{count} record goes to all devices of the workspace, with its comments, as yours. Files stay here. Other devices keep what they got, also if you delete it here later.',
  'aside.adopt.body.other':
    '{count} records go to all devices of the workspace, with their comments, as yours. Files stay here. Other devices keep what they got, also if you delete it here later.',
  'aside.adopt.define': 'The object itself, and what it refers to, come along.',
  'aside.adopt.done': '{label} are on their way to the other devices.',
} as const
