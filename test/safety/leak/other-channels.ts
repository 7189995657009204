// Channels beside records: definitions, views, labels, rights, the host itself.
import type { ChannelCases, LeakCase } from './leak-case.ts'
import { absentId, ask, get, post } from './leak-case.ts'
import type { World } from './world.ts'
import { idOf } from './people.ts'

/** Items of the world by type. */
const items: readonly (readonly [type: string, name: string])[] = [
  ['object', 'matter'],
  ['object', 'person'],
  ['object', 'vault'],
  ['object', 'matter_line'],
  ['field', 'matter.body'],
  ['field', 'matter.doubled'],
  ['view', 'matter.telling'],
  ['view', 'matter.own'],
  ['trigger', 'matter.watch'],
  ['hook', 'matter.guard'],
  ['validation', 'matter.large'],
  ['validation', 'matter.small'],
  ['report', 'matters'],
  ['dashboard', 'overview'],
  ['page', 'start'],
  ['action', 'matter.close'],
  ['flow', 'escalate'],
  ['translation', 'german'],
  ['function', 'look'],
  ['permission', 'masks'],
  ['permission', 'narrow'],
  ['profile', 'ruled'],
  ['role', 'overseer'],
]

/** The items, and those of every hidden field. */
const itemsOf = (world: World): readonly (readonly [string, string])[] => [
  ...items,
  ...world.triedFields.map((field) => ['field', `matter.${field}`] as const),
  ['field', `person.${world.personField}`],
]

const onItems = (world: World, of: (path: string) => readonly LeakCase[]): LeakCase[] =>
  itemsOf(world).flatMap(([type, name]) => of(`/meta/${type}/${name}`))

const types = [...new Set(items.map(([type]) => type)), 'app', 'datasource', 'job']

export const otherChannels: Readonly<Record<string, ChannelCases>> = {
  'metadata items': (world) => [
    get('/meta'),
    get('/meta/types'),
    get('/meta/types/object'),
    get('/meta/types/object/schema'),
    get('/meta/concepts'),
    ...types.flatMap((type) => [
      get(`/meta/${type}`),
      get(`/meta/${type}?locale=de`),
      get(`/meta/${type}?state=draft`),
    ]),
    ...onItems(world, (path) => [
      get(path),
      get(`${path}?locale=de`),
      get(`${path}?state=draft`),
      get(`${path}/exists`),
    ]),
  ],
  'metadata history': (world) =>
    onItems(world, (path) => [get(`${path}/history`), get(`${path}/history/1`), get(`${path}/history/2`)]),
  'metadata cached': (world) =>
    onItems(world, (path) => [get(`${path}/cached`), post(`${path}/cached`, { locale: 'de' })]),
  'metadata effective and layers': (world) =>
    onItems(world, (path) => [
      get(`${path}/effective`),
      get(`${path}/effective?userId=${idOf('stranger')}`),
      get(`${path}/layers`),
      get(`${path}/overlay`),
      get(`${path}/overlay?scope=user`),
      get(`${path}/overlay?scope=platform`),
    ]),
  'metadata dependencies': (world) =>
    onItems(world, (path) => [get(`${path}/dependencies`), get(`${path}/dependents`)]),
  'metadata query': (world) => [
    post('/meta/query', {}),
    post('/meta/query', { search: 'qzk', pageSize: 500 }),
    ...types.map((type) => post('/meta/query', { types: [type], pageSize: 500 })),
    post('/meta/query', { types: ['field'], search: world.fields.text }),
    ...types.map((type) => get(`/meta/${type}/names`)),
    get('/meta/field/names'),
    get('/meta/field'),
  ],
  'metadata writes': (world) => [
    ...onItems(world, (path) => [
      post(`${path}/state`, { state: 'nothing' }),
      post(`${path}/revert`, { version: 999 }),
      ask('PUT', `${path}/overlay?scope=user`, { patch: { label: 5 } }),
      ask('DELETE', `${path}/overlay?scope=user`),
    ]),
    ...['object/matter', 'object/vault', 'page/start'].flatMap((item) => [
      post(`/meta/${item}/publish`),
      post(`/meta/${item}/discard-draft`),
      ask('PUT', `/meta/${item}?dryRun=true`, { item: { name: 'x', fields: { name: { type: 'nothing' } } } }),
    ]),
    ask('DELETE', '/meta/object/region'),
    ask('DELETE', '/meta/page/none'),
    post('/meta', { type: 'page', name: 'start', data: {} }),
    post('/meta/page', { name: 'start', data: {} }),
    post('/meta/bulk/register', { items: [{ type: 'object', name: 'matter', data: {} }] }),
    post('/meta/bulk/unregister', { items: [{ type: 'object', name: 'region' }] }),
    post('/meta/export', {}),
    post('/meta/export', { types: ['view'] }),
    post('/meta/import', { data: { formatVersion: '1', items: [] }, dryRun: true }),
    post('/meta/validate', { type: 'object', data: { name: 'matter', fields: { name: { type: 'text' } } } }),
    ask('DELETE', '/meta/object/matter/change'),
  ],
  'generated views': () =>
    ['matter', 'person', 'vault', 'matter_line'].flatMap((object) => [
      get(`/ui/view/${object}/list`),
      get(`/ui/view/${object}/form`),
      get(`/ui/view/${object}?type=list`),
    ]),
  'stored views': (world, role) => [
    get('/ui/views'),
    get('/ui/views?object=matter'),
    get('/ui/views?object=vault'),
    get('/ui/views/matter'),
    ...['matter.telling', 'matter.own', 'matter.none'].flatMap((id) => [
      get(`/ui/views/${id}`),
      get(`/ui/views/${id.replace('.', '/')}`),
      ask('PATCH', `/ui/views/${id}`, { order: 'x' }),
      ask('PUT', `/ui/views/${id.replace('.', '/')}`, { order: 'x' }),
    ]),
    ask('DELETE', '/ui/views/matter.own'),
    ...[world.fields.text, world.fields.choice].map((field) =>
      post('/ui/views', {
        object: 'matter',
        viewKind: 'list',
        key: `mine_${role}`,
        label: 'Mine',
        scope: 'personal',
        config: { type: 'grid', columns: ['name', field] },
      }),
    ),
    post('/ui/views/vault', {
      viewKind: 'list',
      key: `vault_${role}`,
      label: 'Mine',
      scope: 'personal',
      config: { type: 'grid', columns: ['name'] },
    }),
  ],
  labels: () => [
    get('/i18n/locales'),
    ...['', '/de'].flatMap((locale) => [
      get(`/i18n/labels/matter${locale}`),
      get(`/i18n/labels/vault${locale}`),
      get(`/i18n/labels/person${locale}`),
    ]),
    get('/i18n/translations'),
    get('/i18n/translations?locale=de'),
    get('/i18n/translations/de'),
    get('/i18n/translations/de?namespace=objects'),
    get('/i18n/translations/de?keys=objects.matter,objects.vault'),
  ],
  registry: () => [
    get('/registry'),
    get('/registry/apis'),
    get('/registry/apis?search=qzk'),
    get('/registry/apis/data'),
    get('/registry/endpoints'),
    post('/registry/apis', { id: 'x' }),
    ask('PUT', '/registry/apis/data', { name: 'x' }),
    ask('DELETE', '/registry/apis/data'),
  ],
  documents: () => [get('/openapi.json'), get('/docs'), get('/docs?tag=data')],
  discovery: () => [
    get(''),
    get('/discovery'),
    get('//.well-known/cairn'),
    get('//healthz'),
    get('//readyz'),
    get('/health'),
    get('/ready'),
    get('//_console/proof?nonce=0123456789abcdef'),
    get('//_console/session'),
    post('//_console/session', { code: 'none' }),
    post('//_console/session/code'),
    ask('DELETE', '//_console/session'),
  ],
  'schema backups': (world) => [
    get('/meta/object/matter/backups'),
    get('/meta/object/vault/backups'),
    get('/meta/object/matter/change'),
    post(`/meta/object/matter/backups/${world.schemaBackup}/restore`),
    post(`/meta/object/vault/backups/${absentId}/restore`),
  ],
  'trigger runs': () => [get('/meta/trigger/matter.watch/runs'), get('/meta/trigger/vault.none/runs')],
  scripts: (world) => [
    post('/functions/look/run', { input: { hidden: world.hidden[0], seen: world.seen[0] } }),
    post('/functions/none/run'),
  ],
  audit: (world) => [
    get('/audit?limit=200'),
    get('/audit?object=vault'),
    get(`/audit?actorId=${idOf('stranger')}`),
    get('/audit/kinds'),
    get('/audit/export'),
    post('/audit/verify'),
    get(`/audit?kind=${world.fields.text}`),
  ],
  permissions: (world) => [
    get('/permissions/effective'),
    get(`/permissions/effective?userId=${idOf('stranger')}`),
    ...['matter', 'person', 'vault', 'none'].map((object) => get(`/permissions/objects/${object}`)),
    get(`/permissions/objects/matter?userId=${idOf('stranger')}`),
    ...['read', 'edit', 'delete'].flatMap((action) =>
      [world.hidden[0], world.seen[0], absentId].flatMap((recordId) => [
        get(`/permissions/check?object=matter&action=${action}&recordId=${recordId}`),
        post('/permissions/check', { object: 'matter', action, recordId, field: world.fields.text }),
      ]),
    ),
    get(`/permissions/explain?object=matter&action=read&recordId=${world.hidden[0]}`),
    get(`/permissions/assignments/${idOf('stranger')}`),
    ask('PUT', `/permissions/assignments/${idOf('stranger')}`, { profile: 'none' }),
  ],
  notifications: (world) => [
    get('/notifications'),
    get('/notifications?limit=100&read=false'),
    get('/notifications?type=system'),
    post('/notifications/read', { ids: [world.notice, absentId] }),
    post('/notifications/read-all'),
    ask('DELETE', `/notifications/${world.notice}`),
    ask('DELETE', `/notifications/${absentId}`),
    get('/notifications/preferences'),
    ask('PATCH', '/notifications/preferences', { preferences: { digest: 'none' } }),
    ask('PUT', '/notifications/preferences', { preferences: { channels: { slack: { url: 'http://10.0.0.1/' } } } }),
    post('/notifications/devices', { token: world.deviceToken, platform: 'web', deviceId: 'stranger' }),
    ask('DELETE', '/notifications/devices/stranger'),
    ask('DELETE', '/notifications/devices/stranger'),
  ],
  settings: () => [get('/settings'), ask('PATCH', '/settings', { settings: { timezone: 'Nowhere' } })],
  backups: () => [
    get('/backups'),
    post('/backups'),
    ...['download', 'verify', 'restore'].map((what) =>
      what === 'download' ? get('/backups/none/download') : post(`/backups/none/${what}`),
    ),
    ask('DELETE', '/backups/none'),
  ],
  'error bodies': (world) => [
    post('/data/matter', '{"name": '),
    post('/data/matter', 'x', { 'content-type': 'text/plain' }),
    get(`/data/matter/${world.hidden[0]}/nothing`),
    ask('PUT', `/data/matter/${world.hidden[0]}`, {}),
    get('/data/nothing'),
    get(`/data/nothing/${world.hidden[0]}`),
    get('/data/matter/no-id'),
    get('/data/matter?filter={'),
    get('/data/matter?top=x'),
    get('/nothing'),
    get('/data/matter?$filter=x'),
    post('/data/matter/query', { joins: [] }),
  ],
}
