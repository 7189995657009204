// Channels through which records are written: their answers, results and error texts.
import type { ChannelCases } from './leak-case.ts'
import { absentId, ask, get, post } from './leak-case.ts'
import { idOf } from './people.ts'

const csv = { 'content-type': 'text/csv' }

export const writingChannels: Readonly<Record<string, ChannelCases>> = {
  create: (world, role) => [
    post('/data/matter', { name: `New ${role}`, stage: 'open' }),
    post('/data/matter', { name: `Own ${role}`, stage: 'shut' }),
    ...world.triedFields.map((field) => post('/data/matter', { name: 'x', [field]: 'x' })),
    post('/data/matter_line', { name: 'x', matter: world.hidden[0] }),
    post('/data/matter_line', { name: 'x', matter: absentId }),
    post('/data/matter', { name: 'x', stage: 'open', keeper: world.hiddenPerson }),
    post('/data/matter', { name: 'x', stage: 'open', vaulted: world.vaults[0] }),
    post('/data/vault', { name: 'x' }),
    post('//api/data/matter', { name: 'x', amount: 'no number' }),
  ],
  update: (world, _role, at) => [
    ask('PATCH', `/data/matter/${world.victims[2 * at]}`, { body: 'changed alpha' }),
    ask('PATCH', `/data/matter/${world.victims[2 * at]}`, { body: null, keeper: world.hiddenPerson }),
    ...world.triedFields.map((field) => ask('PATCH', `/data/matter/${world.victims[2 * at]}`, { [field]: 'x' })),
    ...[...world.hidden, world.hiddenDeleted].map((id) => ask('PATCH', `/data/matter/${id}`, { body: 'x' })),
    ask('PATCH', `/data/person/${world.hiddenPerson}`, { name: 'x' }),
    ask('PATCH', `//api/data/vault/${world.vaults[0]}`, { name: 'x' }),
    ask('PATCH', `/data/matter_line/${world.seenLine}`, { quantity: 2 }),
    ask('PATCH', `/data/matter/${world.victims[2 * at]}`, { stage: 'no option', amount: 'no number' }),
  ],
  createMany: (world) => [
    post('/data/matter/createMany', [
      { name: 'many', stage: 'open' },
      { name: 'many', stage: 'shut' },
    ]),
    post('/data/matter/createMany', [{ name: 'many', [world.fields.text]: 'x' }]),
    post('/data/matter/createMany', { records: [{ name: 'x', keeper: world.hiddenPerson }, { amount: 'x' }] }),
    post('//api/data/vault/createMany', [{ name: 'x' }]),
  ],
  updateMany: (world, _role, at) => [
    post('/data/matter/updateMany', {
      records: [...world.hidden, world.victims[2 * at]!, absentId].map((id) => ({ id, data: { body: 'x alpha' } })),
      options: { atomic: false, continueOnError: true, returnRecords: true },
    }),
    post('//api/data/matter/updateMany', {
      records: [{ id: world.victims[2 * at], data: { [world.fields.number]: 1 } }],
      options: { returnRecords: true },
    }),
    post('/data/matter/updateMany', {
      records: [{ id: world.hidden[0], data: { body: 'x' }, expectedVersion: 'x' }],
      options: { validateOnly: true },
    }),
  ],
  deleteMany: (world) => [
    post('/data/matter/deleteMany', {
      ids: [...world.hidden, absentId],
      options: { atomic: false, continueOnError: true },
    }),
    post('//api/data/person/deleteMany', { ids: [world.hiddenPerson] }),
    post('/data/vault/deleteMany', { ids: world.vaults, options: { validateOnly: true } }),
  ],
  batch: (world, _role, at) => [
    ...['create', 'update', 'upsert', 'delete'].flatMap((operation) =>
      [true, false].map((atomic) =>
        post('/data/matter/batch', {
          operation,
          records: [
            { ...(operation === 'create' ? {} : { id: world.hidden[0] }), data: { name: 'batch', stage: 'open' } },
            { ...(operation === 'create' ? {} : { id: absentId }), data: { name: 'batch', stage: 'open' } },
            { id: world.victims[2 * at], data: { body: 'batched' } },
          ].slice(0, operation === 'delete' ? 2 : 3),
          options: { atomic, continueOnError: !atomic, returnRecords: true },
        }),
      ),
    ),
    post('//api/data/vault/batch', { operation: 'delete', records: [{ id: world.vaults[0] }] }),
  ],
  'batch across objects': (world, _role, at) => [
    post('/batch', {
      operations: [
        { object: 'matter', action: 'update', id: world.victims[2 * at], data: { body: 'across' } },
        { object: 'matter', action: 'create', data: { name: 'across', stage: 'open' } },
        { object: 'matter_line', action: 'create', data: { name: 'l', matter: { $ref: 1 } } },
      ],
      options: { returnRecords: true },
    }),
    ...[world.hidden[0]!, absentId].map((id) =>
      post('/batch', {
        operations: [
          { object: 'matter', action: 'update', id, data: { body: 'x' } },
          { object: 'matter', action: 'delete', id },
          { object: 'vault', action: 'update', id: world.vaults[0], data: { name: 'x' } },
        ],
        options: { atomic: false, continueOnError: true, returnRecords: true },
      }),
    ),
  ],
  upsert: (world) => [
    post('/data/matter/batch', {
      operation: 'upsert',
      records: [
        { externalId: { field: 'serial', value: 'SER-0' }, data: { body: 'alpha beta' } },
        { externalId: { field: world.fields.key, value: 'x' }, data: { name: 'x' } },
        { externalId: 'x', data: { name: 'x', stage: 'open' } },
      ],
      options: { atomic: false, continueOnError: true, returnRecords: true },
    }),
  ],
  'unique conflict': (world, role, at) => [
    post('/data/matter', { name: 'clash', stage: 'open', code: 'S-0' }),
    post('/data/matter', { name: 'clash', stage: 'open', serial: 'SER-1' }),
    ask('PATCH', `/data/matter/${world.victims[2 * at]}`, { code: 'S-0' }),
    post('/data/matter/createMany', [
      { name: 'clash', code: `C-${role}` },
      { name: 'clash', code: `C-${role}` },
    ]),
    // Rows nobody but the owner sees hold these.
    ...codesOf(world).map((code) => post('/data/matter', { name: 'clash', code })),
  ],
  CONCURRENT_UPDATE: (world, _role, at) => [
    ask('PATCH', `/data/matter/${world.victims[2 * at]}`, { body: 'x', expectedVersion: '2020-01-01T00:00:00.000Z' }),
    ask('PATCH', `/data/matter/${world.victims[2 * at]}`, { body: 'x' }, { 'if-match': '"2020-01-01T00:00:00.000Z"' }),
    ask('PATCH', `/data/matter/${world.hidden[0]}`, { body: 'x', expectedVersion: '2020-01-01T00:00:00.000Z' }),
    ask('DELETE', `/data/matter/${world.victims[2 * at]}?expectedVersion=2020-01-01T00:00:00.000Z`),
    post('/data/matter/updateMany', {
      records: [world.hidden[0], world.victims[2 * at]].map((id) => ({
        id,
        data: { body: 'x' },
        expectedVersion: '2020-01-01T00:00:00.000Z',
      })),
      options: { atomic: false, continueOnError: true },
    }),
    post(`/data/matter/${world.victims[2 * at]}/transfer`, {
      owner: idOf('clerk'),
      expectedVersion: '2020-01-01T00:00:00.000Z',
    }),
  ],
  delete_restricted: (world) => [
    ask('DELETE', `/data/region/${world.region}`),
    post('/data/region/deleteMany', { ids: [world.region] }),
    post('/batch', { operations: [{ object: 'region', action: 'delete', id: world.region }] }),
  ],
  clone: (world, _role, at) => [
    post(`/data/matter/${world.victims[2 * at]}/clone`),
    post(`/data/matter/${world.victims[2 * at]}/clone`, { overrides: { [world.fields.text]: 'x' } }),
    post(`//api/data/matter/${world.hidden[0]}/clone`),
    post(`/data/vault/${world.vaults[0]}/clone`),
  ],
  reveal: (world) => [
    ...[world.seen[0], world.hidden[0], absentId].flatMap((id) =>
      [world.fields.pin, world.fields.text, 'name'].map((field) => post(`/data/matter/${id}/reveal`, { field })),
    ),
    post(`//api/data/matter/${world.seen[1]}/reveal`, { field: world.fields.pin }),
  ],
  shares: (world, _role, at) => [
    ...[world.hidden[1], world.victims[2 * at], absentId].flatMap((id) => [
      get(`/data/matter/${id}/shares`),
      get(`/data/matter/${id}/shares/principals?query=a`),
      post(`/data/matter/${id}/shares`, { principalType: 'user', principalId: idOf('clerk'), access: 'read' }),
      ask('DELETE', `/data/matter/${id}/shares/${world.share}`),
    ]),
    get(`/data/vault/${world.vaults[0]}/shares`),
  ],
  'import dry run': (world) => [
    post('/data/matter/import', {
      rows: [
        { name: 'i', code: 'S-0' },
        { name: 'i', keeper: 'Nobody' },
        { name: 'i', vaulted: world.vaults[0] },
        { name: 'i', keeper: world.hiddenPerson },
        { name: 'i', amount: 'x' },
      ],
      dryRun: true,
    }),
    post('/data/matter/import', {
      rows: [
        { serial: 'SER-0', body: 'alpha beta' },
        { serial: 'HER-0', body: 'x' },
      ],
      writeMode: 'upsert',
      matchFields: ['serial'],
      dryRun: true,
    }),
    ...world.triedFields.map((field) =>
      post('/data/matter/import', { rows: [{ name: 'i', [field]: 'x' }], dryRun: true }),
    ),
    post('/data/matter/import', {
      rows: [{ name: 'i' }],
      writeMode: 'update',
      matchFields: [world.fields.key],
      dryRun: true,
    }),
    post('/data/matter/import?dryRun=true', `name,${world.fields.text}\ni,x\n`, csv),
    post('//api/data/vault/import', { rows: [{ name: 'i' }], dryRun: true }),
  ],
  'import jobs': (world) => [
    post('/data/matter/import/jobs', { rows: [{ name: 'job', stage: 'open' }], dryRun: true }),
    post('//api/data/vault/import/jobs', { rows: [{ name: 'job' }] }),
    get('/data/import/jobs?object=matter&status=failed'),
    ...['', '//api'].flatMap((prefix) => [
      get(`${prefix}/data/import/jobs/${world.job}`),
      get(`${prefix}/data/import/jobs/${world.job}/results`),
      ...['cancel', 'pause', 'resume', 'undo'].map((what) => post(`${prefix}/data/import/jobs/${world.job}/${what}`)),
    ]),
  ],
  'delete, restore, transfer, purge': (world, _role, at) => [
    ...[...world.hidden, absentId].flatMap((id) => [
      ask('DELETE', `/data/matter/${id}`),
      ask('DELETE', `//api/data/matter/${id}?purge=true`),
      post(`/data/matter/${id}/restore`),
      post(`//api/data/matter/${id}/transfer`, { owner: idOf('clerk') }),
    ]),
    ...[world.seenDeleted, world.hiddenDeleted].map((id) => post(`//api/data/matter/${id}/restore`)),
    ask('DELETE', `/data/matter/${world.victims[2 * at + 1]}`),
    ask('PATCH', `/data/matter/${world.victims[2 * at + 1]}`, { body: 'x' }),
    post(`/data/matter/${world.victims[2 * at + 1]}/restore`),
    ask('DELETE', `//api/data/vault/${world.vaults[0]}`),
    ask('DELETE', `/data/person/${world.hiddenPerson}?purge=true`),
  ],
}

/** Values of the unique field that hidden rows hold; the book of the world knows them, the caller guesses. */
function codesOf({ guesses }: { guesses: readonly string[] }): readonly string[] {
  return guesses
}
