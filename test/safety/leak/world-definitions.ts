// What the workspace of the leak checks is made of: objects, the items around them, and the rights of its people.
import type { CanaryBook } from './canaries.ts'
import type { Role } from './people.ts'
import { idOf } from './people.ts'
import type { HiddenFields, Loose } from './world.ts'

type Done = (method: string, path: string, body: unknown, as?: Role | 'stranger') => Promise<Loose>

/** The names the definitions gave. */
export interface WorldNames {
  readonly fields: HiddenFields
  readonly personField: string
  readonly lineField: string
  readonly option: string
}

const allFlags = {
  allowCreate: true,
  allowRead: true,
  allowEdit: true,
  allowDelete: true,
  allowTransfer: true,
  allowRestore: true,
  allowPurge: true,
}

/** Objects, and items that mention their hidden fields. */
export async function defineObjects(done: Done, book: CanaryBook): Promise<WorldNames> {
  const save = (type: string, name: string, item: object, as?: Role | 'stranger') =>
    done('PUT', `/meta/${type}/${name}`, { type, name, item: { name, ...item } }, as)
  const name = (): string => book.word('name')
  const told = () => ({ label: `Label ${name()}`, help: `Help ${name()}`, description: `Said ${name()}` })
  const fields: HiddenFields = {
    text: name(),
    number: name(),
    date: name(),
    choice: name(),
    flag: name(),
    link: name(),
    tags: name(),
    json: name(),
    pin: name(),
    key: name(),
  }
  const [personField, lineField, option] = [name(), name(), name()]
  await save('object', 'region', { fields: { name: { type: 'text' } }, sharingModel: 'full' })
  await save('object', 'person', {
    sharingModel: 'private',
    fields: { name: { type: 'text' }, open: { type: 'boolean' }, [personField]: { type: 'text', ...told() } },
  })
  await save('object', 'vault', {
    sharingModel: 'private',
    label: `Vault ${book.word('object')}`,
    description: book.word('object'),
    fields: { name: { type: 'text' }, [book.word('object')]: { type: 'text', label: book.word('object') } },
  })
  const matter = {
    sharingModel: 'private',
    displayNameField: 'name',
    fields: {
      name: { type: 'text' },
      code: { type: 'text', unique: true },
      serial: { type: 'text', externalId: true },
      body: { type: 'textarea' },
      stage: { type: 'select', options: ['open', 'shut'] },
      amount: { type: 'number', index: true },
      due: { type: 'date' },
      region: { type: 'lookup', reference: 'region', deleteBehavior: 'restrict' },
      keeper: { type: 'lookup', reference: 'person', relationshipName: 'matters' },
      vaulted: { type: 'lookup', reference: 'vault', relationshipName: 'vault_matters' },
      dropped: { type: 'text' },
      doubled: { type: 'formula', expression: `record.${fields.number} == null ? 0 : 2`, returnType: 'number' },
      [fields.text]: { type: 'text', index: true, ...told() },
      [fields.number]: { type: 'number', index: true, ...told() },
      [fields.date]: { type: 'date', ...told() },
      [fields.choice]: {
        type: 'select',
        options: [{ value: option, label: name() }, { value: 'other' }],
        ...told(),
      },
      [fields.flag]: { type: 'boolean' },
      [fields.link]: { type: 'lookup', reference: 'person', relationshipName: name() },
      [fields.tags]: { type: 'tags' },
      [fields.json]: { type: 'json' },
      [fields.pin]: { type: 'secret' },
      [fields.key]: { type: 'text', externalId: true },
    },
    indexes: [{ fields: [fields.date, 'name'] }],
    fieldGroups: [{ key: 'main', label: 'Main' }],
    compactLayout: ['name', fields.text],
    titleFormat: `{{ record.name }} {{ record.${fields.text} }}`,
    search: { fields: ['name', 'body', fields.text, fields.tags] },
    listViews: { mine: { columns: ['name', fields.number] } },
    validations: [
      {
        name: 'small',
        type: 'script',
        severity: 'warning',
        condition: `record.${fields.number} == -1`,
        message: `Too small: ${name()}.`,
        field: fields.number,
      },
    ],
    analytics: {
      measures: { [name()]: { type: 'sum', field: fields.number } },
      dimensions: { [name()]: { type: 'string', expression: `record.${fields.text}`, title: name() } },
    },
  }
  await save('object', 'matter', matter)
  const { dropped: _dropped, ...kept } = matter.fields
  await done('PUT', '/meta/object/matter?confirm=true', {
    type: 'object',
    name: 'matter',
    item: { name: 'matter', ...matter, fields: kept },
  })
  await save('object', 'matter_line', {
    sharingModel: 'full',
    fields: {
      name: { type: 'text' },
      quantity: { type: 'number' },
      matter: { type: 'master_detail', reference: 'matter', relationshipName: 'lines' },
      [lineField]: { type: 'text', ...told() },
    },
  })
  await saveItems(save, fields, personField, book)
  return { fields, personField, lineField, option }
}

/** Items of other types that mention hidden fields, or are somebody else's. */
async function saveItems(
  save: (type: string, name: string, item: object, as?: Role | 'stranger') => Promise<unknown>,
  fields: HiddenFields,
  personField: string,
  book: CanaryBook,
): Promise<void> {
  const config = (columns: readonly string[]) => ({
    type: 'grid',
    columns,
    filter: { [fields.text]: { $null: false } },
    sort: [{ field: fields.number, order: 'asc' }],
  })
  await save('view', 'matter.telling', {
    object: 'matter',
    viewKind: 'list',
    label: 'Telling',
    scope: 'shared',
    config: config(['name', fields.text, `keeper.${personField}`, 'vaulted.name']),
  })
  await save('view', 'matter.own', {
    object: 'matter',
    viewKind: 'list',
    label: book.word('person'),
    scope: 'personal',
    owner: idOf('stranger'),
    config: config(['name']),
  })
  await save('report', 'matter_telling', {
    object: 'matter',
    columns: ['name', fields.text, `keeper.${personField}`, 'vaulted.name', { field: fields.number }],
    aggregations: [{ field: 'amount', function: 'sum' }, { field: fields.number, function: 'max' }, 'count'],
    sort: [{ field: 'name', order: 'asc' }],
  })
  await save('report', 'matter_groups', {
    object: 'matter',
    type: 'summary',
    groupings: ['stage', { field: 'due', granularity: 'year' }],
    aggregations: [
      { field: 'amount', function: 'sum' },
      { field: fields.number, function: 'sum' },
    ],
  })
  await save('report', 'matter_hidden', {
    object: 'matter',
    type: 'matrix',
    groupings: [fields.choice, `keeper.${personField}`],
    filter: { [fields.number]: { $null: false } },
  })
  for (const object of ['vault', 'person']) await save('report', `${object}_all`, { object })
  await save('trigger', 'matter.watch', {
    object: 'matter',
    events: ['update'],
    condition: `record.${fields.number} == -2`,
    actions: [{ type: 'update_record', config: { data: { body: `{{ record.${fields.text} }}` } } }],
  })
  await save('hook', 'matter.guard', {
    object: 'matter',
    events: ['afterDelete'],
    body: `return null // ${book.word('guarded')} ${fields.text}`,
  })
  await save('validation', 'matter.large', {
    object: 'matter',
    type: 'script',
    severity: 'info',
    condition: `record.${fields.number} == -3`,
    message: 'Too large.',
  })
  await save('report', 'matters', {
    object: 'matter',
    type: 'summary',
    columns: ['name', fields.text],
    groupings: [{ field: fields.date, granularity: 'month' }],
    aggregations: [{ field: fields.number, function: 'sum' }],
  })
  await save('dashboard', 'overview', {
    columns: 12,
    widgets: [
      {
        id: 'sum',
        type: 'metric',
        query: { cube: 'matter', measures: [`${fields.number}.sum`] },
        layout: { x: 0, y: 0, w: 3, h: 2 },
      },
    ],
  })
  await save('page', 'start', {
    route: '/start',
    object: 'matter',
    layout: [{ columns: 1, components: [{ type: 'field', props: { field: fields.text } }] }],
  })
  await save('action', 'matter.close', {
    object: 'matter',
    type: 'update',
    config: { data: { [fields.text]: 'x' } },
    locations: ['record'],
    visibleOn: `record.${fields.number} == 1`,
  })
  await save('flow', 'escalate', {
    type: 'record_change',
    nodes: [
      {
        id: 'start',
        type: 'start',
        config: { object: 'matter', events: ['update'], condition: `record.${fields.flag}` },
      },
      { id: 'end', type: 'end' },
    ],
    edges: [{ id: 'e1', source: 'start', target: 'end' }],
  })
  await save('flow', 'look_up', {
    status: 'active',
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'get', type: 'get_record', config: { object: 'matter', id: '{{ params.id }}' } },
      { id: 'end', type: 'end', config: { output: { found: '{{ steps["get"].output }}', record: '{{ record }}' } } },
    ],
    edges: [
      { id: 'e1', source: 'start', target: 'get' },
      { id: 'e2', source: 'get', target: 'end' },
    ],
  })
  await save('translation', 'german', {
    locale: 'de',
    translations: {
      objects: {
        matter: { label: 'Sache', fields: { [fields.text]: { label: book.word('name') }, name: { label: 'Name' } } },
        vault: { label: book.word('object') },
      },
      messages: { hello: 'Hallo' },
    },
  })
  await save('function', 'look', {
    source: `// ${book.word('guarded')}
      const told = []
      const attempts = [
        () => records.list('matter', { deleted: 'include', top: 100 }),
        () => records.list('matter', { filter: { stage: 'shut' } }),
        () => records.list('matter', { search: 'qzk' }),
        () => records.list('matter', { expand: 'keeper,lines' }),
        () => records.list('vault'),
        () => records.get('matter', input.hidden),
        () => records.get('matter', input.seen),
        () => records.update('matter', input.hidden, { body: 'x' }),
        () => records.update('matter', input.seen, { body: 'alpha' }),
        () => records.delete('matter', input.hidden),
      ]
      for (const attempt of attempts) {
        try { told.push(await attempt()) } catch (error) { told.push([error.message, error.code, error.details]) }
      }
      log(JSON.stringify(told))
      return told`,
  })
}

/** Profiles, sets and roles, and who has them. */
export async function defineRights(done: Done, names: WorldNames, book: CanaryBook): Promise<void> {
  const save = (type: string, name: string, item: object) =>
    done('PUT', `/meta/${type}/${name}`, { type, name, item: { name, ...item } })
  const hiddenNames = [
    ...Object.values(names.fields).map((field) => `matter.${field}`),
    `person.${names.personField}`,
    `matter_line.${names.lineField}`,
  ]
  const masks = Object.fromEntries(hiddenNames.map((field) => [field, { readable: false }]))
  const actions = ['read', 'edit', 'delete', 'transfer', 'restore', 'purge']
  const rules = [
    { name: 'open_matters', object: 'matter', actions, condition: 'record.stage == "open"' },
    { name: 'open_people', object: 'person', actions, condition: 'record.open == true' },
  ]
  const objects = { matter: allFlags, matter_line: allFlags, person: allFlags, region: allFlags }
  await save('permission', 'masks', { label: book.word('guarded'), fields: masks, rowLevelSecurity: rules })
  await save('permission', 'narrow', {
    objects,
    fields: masks,
    rowLevelSecurity: rules,
    systemPermissions: ['import_data', 'export_data'],
  })
  await save('permission', 'designs', {
    systemPermissions: ['manage_metadata', 'view_audit', 'run_sql', 'import_data', 'export_data'],
  })
  await save('profile', 'ruled', {
    objects,
    fields: masks,
    rowLevelSecurity: rules,
    systemPermissions: ['import_data', 'export_data', 'run_sql'],
  })
  await save('role', 'overseer', { label: book.word('guarded'), permissionSets: [] })
  const assign = (role: Role | 'stranger', given: object) =>
    done('PUT', `/permissions/assignments/${idOf(role)}`, { profile: 'guest', roles: [], permissionSets: [], ...given })
  await assign('reader', { profile: 'readonly', permissionSets: ['masks'] })
  await assign('clerk', { profile: 'standard', permissionSets: ['masks'] })
  await assign('ruled', { profile: 'ruled' })
  await assign('keyed', { profile: 'administrator' })
  await assign('designer', { profile: 'standard', permissionSets: ['masks', 'designs'] })
  await assign('stranger', { profile: 'administrator', roles: ['overseer'] })
}
