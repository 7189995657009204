// Puts canaries into everything hidden of a world. Two worlds that were filled from different books differ in nothing
// a limited caller may see.
import { setTimeout as pause } from 'node:timers/promises'
import { localOwnerId } from '#main/kernel/context.ts'
import type { CanaryBook } from './canaries.ts'
import { idOf, roles } from './people.ts'
import type { Loose, World } from './world.ts'
import { headersOf } from './world.ts'

/** Which values; `more` hidden rows than the other world has. */
export interface HiddenValues {
  readonly book: CanaryBook
  readonly more: boolean
}

/** Fills the hidden places and answers the world with what only now exists. */
export async function hideValues(world: World, { book, more }: HiddenValues): Promise<World> {
  const { fields } = world
  const began = await positionOf(world)
  const stranger = headersOf(world.host, 'stranger')
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Loose> => {
    const answer = await world.call(method, path, body, headers)
    const text = Buffer.from(answer.bytes).toString()
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  const change = (object: string, id: string, data: object): Promise<unknown> =>
    send('PATCH', `/data/${object}/${id}`, { ...data, expectedVersion: '*' })

  const encoded = (group: 'row' | 'field'): string => {
    const [plain, based, hexed, percent] = [book.word(group), book.word(group), book.word(group), book.word(group)]
    const escaped = [...percent].map((letter) => `%${letter.codePointAt(0)!.toString(16)}`).join('')
    return `${plain} alpha ${Buffer.from(based).toString('base64')} ${Buffer.from(hexed).toString('hex')} ${escaped}`
  }
  const secrets = (group: 'row' | 'field', at: number, pin = true): Record<string, unknown> => ({
    [fields.text]: `${at % 2 === 0 ? 'alpha ' : ''}${encoded(group)}`.replaceAll('\n', ' '),
    [fields.number]: book.number(group),
    [fields.date]: book.date(group),
    [fields.choice]: at % 2 === 0 ? world.option : 'other',
    [fields.flag]: at % 2 === 0,
    [fields.link]: at % 3 === 0 ? world.hiddenPerson : world.seenPerson,
    [fields.tags]: [book.word(group), 'alpha'],
    [fields.json]: { a: { b: book.word(group) }, n: book.number(group) },
    ...(pin ? { [fields.pin]: book.word(group) } : {}),
    [fields.key]: book.word(group),
  })
  const guesses: string[] = []
  const row = (at: number, pin = true): Record<string, unknown> => {
    const [first, second] = book.halves('row')
    // The code of a deleted row is free again: whoever takes it shows it to everybody.
    if (pin) guesses.push(second)
    return {
      name: first,
      code: second,
      serial: book.word('row'),
      // Words of seen rows, so that a rank by the statistics of all rows would tell.
      body: `${(more ? 'gamma ' : 'beta ').repeat(9)}${encoded('row')}`,
      amount: book.number('row'),
      due: book.date('row'),
      region: world.region,
      keeper: world.hiddenPerson,
      vaulted: world.vaults[0],
      ...secrets('row', at, pin),
    }
  }
  // Which of the seen rows have which hidden value turns round with the book, so that order and groups would tell.
  const turn = more ? 1 : 0
  const deal = async (ids: readonly string[]): Promise<void> => {
    const values = ids.map((_, at) => secrets('field', at + turn))
    if (more) values.reverse()
    for (const [at, id] of ids.entries()) await change('matter', id, values[at]!)
  }
  // Values that only a changelog still has, and words that only the owner's own comments hold.
  await change('matter', world.seen[1]!, secrets('field', 5, false))
  await change('matter', world.hidden[1]!, secrets('row', 5, false))
  const retell = (record: string, item: string, text: string): Promise<unknown> =>
    send('PUT', `/data/matter/${record}/feed/${item}`, { body: text })
  await retell(world.seen[0]!, world.privateItem, `alpha beta ${encoded('field')}`)
  await retell(world.hidden[0]!, world.hiddenItem, `alpha ${encoded('row')}`)
  if (more) {
    const reply = {
      type: 'comment',
      visibility: 'private',
      parentId: world.openItem,
      body: `alpha ${encoded('field')}`,
    }
    await send('POST', `/data/matter/${world.seen[0]}/feed`, reply)
  }
  await deal(world.seen)
  await deal(world.victims)
  // Secrets of deleted rows nobody can look at, so they are left out.
  await change('matter', world.seenDeleted, secrets('field', turn, false))
  for (const [at, id] of world.hidden.entries()) await change('matter', id, row(at + turn))
  await change('matter', world.hiddenDeleted, row(turn, false))
  await change('person', world.hiddenPerson, { name: book.word('row'), [world.personField]: book.word('row') })
  await change('person', world.seenPerson, { [world.personField]: book.word('field') })
  for (const id of world.vaults) await change('vault', id, { name: book.word('row') })
  await change('matter_line', world.hiddenLine, { name: book.word('row'), [world.lineField]: book.word('row') })
  await change('matter_line', world.seenLine, { [world.lineField]: book.word('field') })
  await send('DELETE', `/data/matter/${world.seenDeleted}`)
  await send('DELETE', `/data/matter/${world.hiddenDeleted}`)
  for (let at = 0; more && at < 3; at += 1) {
    const { id } = await send('POST', '/data/matter', { ...row(at), stage: 'shut' })
    await send('POST', '/data/matter_line', { name: book.word('row'), matter: id })
    if (at === 2) await send('DELETE', `/data/matter/${id}`)
  }
  await send('PUT', '/meta/page/start/overlay?scope=user', { patch: { label: book.word('person') } }, stranger)
  const notice = await notifyStranger(world, book)
  // What the run found is shown to the owner, whose run it is.
  const found = { object: 'matter', recordId: world.hidden[0], params: { id: world.hidden[0] } }
  const { data: run } = await send('POST', '/automation/look_up/trigger', found)
  const flowRun = (run as { runId: string }).runId
  // What is sent to other systems is shown to those who manage that.
  await send('POST', '/webhooks', {
    name: 'told',
    object: 'matter',
    triggers: ['api'],
    url: 'https://example.invalid/',
  })
  const payload = { text: book.word('person') }
  const { data: sent } = await send('POST', '/webhooks/told/trigger', { recordId: world.hidden[0], payload })
  const delivery = (sent as { deliveryId: string }).deliveryId
  const name = encodeURIComponent(`${book.word('row')}.json`)
  const { data: kept } = await send('POST', `/storage/upload?filename=${name}&scope=private`, {
    text: book.word('row'),
  })
  const file = (kept as { fileId: string }).fileId
  await send('POST', `/data/matter/${world.hidden[0]}/feed`, { type: 'file', attachments: [file] })
  const deviceToken = 'token-of-a-device'
  const device = { token: deviceToken, platform: 'web', deviceId: 'stranger', name: 'Phone' }
  await send('POST', '/notifications/devices', device, stranger)
  const { jobId } = await send(
    'POST',
    '/data/matter/import/jobs',
    {
      rows: [
        { name: book.word('row'), stage: 'shut' },
        { name: 'x', amount: 'no number' },
      ],
      fileName: `${book.word('row')}.csv`,
      runAutomations: false,
    },
    stranger,
  )
  for (let tries = 0; tries < 200; tries += 1) {
    const { status } = await send('GET', `/data/import/jobs/${jobId}`)
    if (status !== 'pending' && status !== 'running')
      return { ...world, job: jobId, notice, flowRun, delivery, file, deviceToken, guesses, began }
    await pause(20)
  }
  throw new Error('The import of the stranger does not end.')
}

/**
 * Tells the stranger of a hidden row, and an administrator in the same words; answers the id of the stranger's. The limited
 * callers were told too, when they could still see it, and of hidden fields of rows they see.
 */
async function notifyStranger({ host, hidden, seen, fields }: World, book: CanaryBook): Promise<string> {
  const { plugins, database } = host.host
  const hiddenRow = {
    type: 'mention',
    title: book.word('row'),
    body: book.word('row'),
    data: { object: 'matter', recordId: hidden[0], quoted: book.word('row') },
  } as const
  const hiddenFields = {
    type: 'record',
    title: book.word('field'),
    body: `${fields.text}, Stage`,
    data: { object: 'matter', recordId: seen[0] },
    quotes: {
      title: { field: fields.text, without: 'Changed' },
      lines: [fields.text, 'stage'].map((field) => ({ field, text: field })),
    },
  } as const
  const { notify } = plugins.service('notifications')!
  return database.write('leak.notify', (tx) => {
    for (const userId of [localOwnerId, ...roles.map(idOf)])
      for (const draft of [hiddenRow, hiddenFields]) notify(tx, { userId, ...draft })
    return notify(tx, { userId: idOf('stranger'), ...hiddenRow })!
  })
}

/** Where realtime stands now. */
async function positionOf(world: World): Promise<string> {
  const { bytes } = await world.call('POST', '/realtime/connect', { transport: 'polling' })
  await world.call('POST', '/realtime/disconnect', {})
  return (JSON.parse(Buffer.from(bytes).toString()) as { lastEventId: string }).lastEventId
}
