// Other systems are told and call: webhooks and receivers made in a real browser, messages over a real socket.
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHookPeer } from '../support/hook-peer.ts'
import type { HookPeer } from '../support/hook-peer.ts'
import { look, tabTo } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { makePerson, password, putRight } from './seed-access.ts'
import { enterPassword } from './sign-in-steps.ts'

describe('webhooks', () => {
  let bench: ConsoleBench
  let peer: HookPeer
  let opened: ConsolePage
  let secret = ''

  beforeAll(async () => {
    bench = await openBench()
    peer = await startHookPeer()
    await bench.api('PATCH', '/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
    const item = {
      name: 'book',
      label: 'Book',
      pluralLabel: 'Books',
      fields: { title: { type: 'text', label: 'Title' } },
    }
    await bench.api('PUT', '/meta/object/book', { type: 'object', name: 'book', item })
    opened = await bench.open('/')
  })
  afterAll(async () => {
    await peer?.stop()
    await bench?.stop()
  })

  it('are made by keyboard, with what the host refuses beside its field, and show their secret once', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByText('No webhooks yet').waitFor()
    await tabTo(page, 'New webhook')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New webhook' })
    await dialog.waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByText('Give it a name.').waitFor()
    await page.keyboard.type('Book shop')
    expect(await dialog.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('book_shop')
    await dialog.getByRole('combobox', { name: 'Records of' }).selectOption('book')
    await dialog.getByRole('textbox', { name: 'Address' }).fill('http://10.0.0.1/in')
    await page.keyboard.press('Enter')
    await dialog.getByText('Addresses of this computer and of private networks are closed.', { exact: false }).waitFor()
    await look(page, 'webhooks-refused')
    await dialog.getByRole('textbox', { name: 'Address' }).fill(`${peer.url}/in`)
    await page.keyboard.press('Enter')
    const shown = page.getByRole('dialog', { name: 'Secret of book_shop' })
    secret = await shown.getByRole('textbox', { name: 'Signing secret' }).inputValue()
    expect(secret).toMatch(/^whsec_/)
    await shown.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('heading', { level: 2, name: 'Book shop' }).waitFor()
    await page.getByText('Nothing has been sent yet').waitFor()
  })

  it('send a signed test, and say what came back', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('The test arrived').waitFor()
    const [hook] = await peer.wait(1)
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = hook!.headers
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signed = `${String(id)}.${String(time)}.${JSON.stringify(hook!.body)}`
    expect(signature).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    await page.getByRole('cell', { name: 'Arrived' }).waitFor()
  })

  it('show what was given up, in full, and send it again', async () => {
    const { page } = opened
    peer.status = 404
    await bench.api('POST', '/data/book', { title: 'Emma' })
    await peer.wait(2)
    await page.reload()
    await page.getByText('1 delivery was given up').waitFor()
    await page.getByRole('button', { name: 'Show them' }).click()
    await page
      .getByRole('row')
      .filter({ hasText: 'Given up' })
      .getByRole('button', { name: /^Details/ })
      .click()
    const dialog = page.getByRole('dialog', { name: /^Delivery of/ })
    await dialog.getByText('"title": "Emma"').waitFor()
    await dialog.getByText('webhook-signature').waitFor()
    await page.keyboard.press('Escape')
    peer.status = 200
    await page.getByRole('combobox', { name: 'Show deliveries' }).selectOption('')
    await page
      .getByRole('row')
      .filter({ hasText: 'Given up' })
      .getByRole('button', { name: /^Send again/ })
      .click()
    const hooks = await peer.wait(3)
    expect(hooks[2]!.headers['webhook-id']).toBe(hooks[1]!.headers['webhook-id'])
    await page.getByRole('cell', { name: 'Arrived' }).nth(1).waitFor()
  })

  it('are changed, switched off, given a new secret and deleted', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit book_shop' })
    await dialog.getByText('More: headers, body, retries, secret').click()
    await dialog.getByRole('button', { name: 'Add header' }).click()
    await dialog.getByRole('textbox', { name: 'Header 1' }).fill('X-Shop')
    await dialog.getByRole('textbox', { name: 'Value 1' }).fill('7')
    await dialog.getByRole('combobox', { name: 'Authentication' }).selectOption('bearer')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Some values are not accepted.', { exact: false }).waitFor()
    await dialog.getByLabel('Token', { exact: true }).fill('from here')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send test' }).click()
    const hooks = await peer.wait(4)
    expect(hooks[3]!.headers).toMatchObject({ 'x-shop': '7', authorization: 'Bearer from here' })
    await page.getByRole('button', { name: 'New secret…' }).click()
    await page.getByRole('button', { name: 'Make a new secret' }).click()
    const rotated = page.getByRole('textbox', { name: 'Signing secret' })
    expect(await rotated.inputValue()).not.toBe(secret)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('switch', { name: 'Active' }).click()
    await page.getByRole('link', { name: /Book shop.*Off/ }).waitFor()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
  })

  /** Runs the lines of a page with a secret filled in; answers what the receiver said. */
  const run = async (lines: string, words: string): Promise<unknown> => {
    const { stdout } = await promisify(execFile)('bash', ['-c', lines.replace(`'...'`, `'${words}'`)])
    return JSON.parse(stdout)
  }

  it('receivers are made, and called as their page says', async () => {
    const { page } = opened
    await page.getByRole('tab', { name: 'Receivers' }).click()
    await page.getByRole('button', { name: 'New receiver' }).click()
    const dialog = page.getByRole('dialog', { name: 'New receiver' })
    await dialog.getByRole('textbox', { name: 'Label' }).fill('Book orders')
    await dialog.getByLabel('Secret', { exact: true }).fill('short')
    await dialog.getByRole('combobox', { name: 'Record of' }).selectOption('book')
    await dialog.getByRole('button', { name: 'Add field' }).click()
    await dialog.getByRole('combobox', { name: 'Field 1' }).selectOption('title')
    await dialog.getByRole('textbox', { name: 'Expression 1' }).fill('body.hello +')
    await dialog.getByRole('button', { name: 'Create receiver' }).click()
    await dialog.getByText('Some values are not accepted.', { exact: false }).waitFor()
    await dialog.getByRole('textbox', { name: 'Expression 1' }).fill('body.hello')
    await dialog.getByLabel('Secret', { exact: true }).fill('whsec_c2VjcmV0IHdvcmRz')
    await dialog.getByRole('button', { name: 'Create receiver' }).click()
    await page.getByRole('heading', { level: 2, name: 'Book orders' }).waitFor()
    const lines = await page.getByRole('region', { name: 'Try it from a shell' }).innerText()
    await look(page, 'receivers')
    expect(await run(lines, 'whsec_c2VjcmV0IHdvcmRz')).toMatchObject({ success: true, receiver: 'book_orders' })
    const { records } = await bench.api<{ records: { title: string }[] }>('GET', '/data/book?title=world')
    expect(records).toHaveLength(1)
    expect(await run(lines, 'whsec_b3RoZXI=')).toMatchObject({ error: { code: 'receiver_verification_failed' } })
  })

  it('receivers of every kind are called as their page says', async () => {
    const { page } = opened
    const words = 'plain words'
    const kinds = {
      token: ['header_token', { header: 'X-Token', token: words }],
      hex: ['hmac', { scheme: 'hex', secret: words }],
      plain: ['hmac', { secret: words }],
      open: ['none', {}],
    } as const
    for (const [name, [verificationType, verificationParams]] of Object.entries(kinds)) {
      const target = { action: 'upsert_record', target: 'book', mapping: { title: 'body.hello' } }
      await bench.api('POST', '/webhook-receivers', {
        name,
        path: name,
        verificationType,
        verificationParams,
        ...target,
      })
    }
    for (const name of Object.keys(kinds)) {
      await page.goto(`${bench.host.url}/_console/#/webhooks/in/${name}`)
      if (name === 'token') await page.reload()
      await page.getByRole('heading', { level: 2, name }).waitFor()
      const lines = await page.getByRole('region', { name: 'Try it from a shell' }).innerText()
      expect(await run(lines, words)).toMatchObject({ success: true, receiver: name })
    }
    expect(opened.errors.filter((line) => !line.includes('400'))).toEqual([])
  })

  it('of somebody who may not any more say that they are stopped, as schedules do, and are taken on', async () => {
    const { page } = opened
    const rights = (systemPermissions: string[]): Promise<void> =>
      putRight(bench, 'profile', 'setting_up', {
        systemPermissions,
        objects: { book: { allowRead: true, allowCreate: true, allowEdit: true } },
      })
    await rights(['manage_webhooks', 'run_flows', 'manage_flows', 'manage_metadata'])
    const grace = await makePerson(bench, 'Grace Hopper', 'grace')
    await bench.api('PUT', `/permissions/assignments/${grace}`, { profile: 'setting_up' })
    const asGrace = async (path: string, body: unknown, token = ''): Promise<{ token: string }> => {
      const headers = {
        'content-type': 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      }
      const answer = await fetch(`${bench.host.url}/api/v1${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      expect([200, 201], await answer.clone().text()).toContain(answer.status)
      return (await answer.json()) as { token: string }
    }
    const { token } = await asGrace('/auth/sign-in/username', { username: 'grace', password })
    await asGrace('/webhooks', { name: 'hers', object: 'book', triggers: ['create'], url: `${peer.url}/hers` }, token)
    const target = { action: 'upsert_record', target: 'book', mapping: { title: 'body.hello' } }
    await asGrace('/webhook-receivers', { name: 'to_her', path: 'to_her', verificationType: 'none', ...target }, token)
    const nodes = [
      { id: 'start', type: 'start', config: { everySeconds: 3_600 } },
      { id: 'end', type: 'end' },
    ]
    const edges = [{ id: 'a', source: 'start', target: 'end' }]
    await asGrace('/automation', { name: 'hourly', status: 'active', type: 'schedule', nodes, edges }, token)
    await rights([])

    const at = async (route: string): Promise<void> => {
      await page.goto(`${bench.host.url}/_console/#${route}`)
      await page.reload()
    }
    const stopped = page.getByText('Stopped', { exact: true })
    await at('/automation/schedules')
    await page.getByText('Whoever saved the flow last may not do this any more.', { exact: false }).waitFor()
    expect(await stopped.count()).toBe(1)
    await look(page, 'schedules-stopped')
    for (const [route, name] of [
      ['/webhooks/out/hers', 'hers'],
      ['/webhooks/in/to_her', 'to_her'],
    ] as const) {
      await at(route)
      await page.getByRole('heading', { level: 2, name }).waitFor()
      await page.getByText('Nothing happens: whoever set it up may not do this any more.', { exact: false }).waitFor()
      await stopped.waitFor()
      await page.getByRole('switch', { name: 'Active' }).click()
      await stopped.waitFor({ state: 'detached' })
      await page.getByRole('switch', { name: 'Active' }).click()
      await page.getByRole('switch', { name: 'Active', checked: true }).waitFor()
      expect(await stopped.count()).toBe(0)
    }
  })

  it('are offered to nobody without the right, as automations are not', async () => {
    const ada = await makePerson(bench, 'Ada Lovelace', 'ada')
    await bench.api('PUT', `/permissions/assignments/${ada}`, { profile: 'readonly' })
    const { page } = await bench.openAnonymous()
    await enterPassword(page, 'ada', password)
    await page.getByRole('link', { name: 'Your account' }).waitFor()
    await page.goto(`${bench.host.url}/_console/#/webhooks`)
    await page.getByText('Your rights do not reach here').waitFor()
    expect(await page.getByRole('link', { name: /Webhooks|Automations/ }).count()).toBe(0)
  })
})
