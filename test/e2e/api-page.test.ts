// The API page in a real browser: the view one comes from as a request that runs, documentation that narrows to what the
// caller may do, GraphQL with what fits at the caret, and an assistant that is let in, seen and shut out.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { look, tabTo } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

describe('the API page', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  beforeAll(async () => {
    bench = await openBench()
    const item = {
      name: 'book',
      label: 'Book',
      pluralLabel: 'Books',
      enable: { apiMethods: ['list', 'get', 'create', 'update'] },
      fields: { title: { type: 'text', label: 'Title', required: true }, pages: { type: 'number', label: 'Pages' } },
    }
    await bench.api('PUT', '/meta/object/book', { type: 'object', name: 'book', item })
    for (const [title, pages] of [
      ['Emma', 474],
      ['Persuasion', 250],
      ['Ulysses', 730],
    ] as const)
      await bench.api('POST', '/data/book', { title, pages })
    opened = await bench.open('/o/book?f=pages.gt.300&s=-pages')
  })
  afterAll(async () => bench?.stop())

  it('shows the view one comes from as requests, and each of them runs', async () => {
    const { page } = opened
    await page.getByText('2 records').waitFor()
    await page.keyboard.press('ControlOrMeta+K')
    await page.keyboard.type('requests behind this view')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'API' }).waitFor()
    await page.getByText('Records where Pages').waitFor()
    for (const language of ['REST', 'GraphQL', 'OData', 'JavaScript', 'Python', 'curl']) {
      await page.getByRole('tab', { name: language, exact: true }).last().click()
      const text = await page.getByRole('region', { name: language, exact: true }).textContent()
      expect(text, language).toContain('pages')
      await page.getByRole('button', { name: 'Run' }).click()
      await page.getByText(/^Answered in/).waitFor()
      const answer = await page.getByRole('region', { name: 'Answer' }).textContent()
      expect([...answer!.matchAll(/Ulysses|Emma|Persuasion/g)].map(String), language).toEqual(['Ulysses', 'Emma'])
    }
    await page.getByRole('button', { name: 'Copy: curl' }).click()
    expect(await page.evaluate(async () => navigator.clipboard.readText())).toContain('/api/v1/data/book/query')
    // The look of a button under the pointer is the theme's.
    await page.mouse.move(0, 0)
    await look(page, 'api-requests')
  })

  it('documents what the object offers, and tries it with the session of the page', async () => {
    const { page } = opened
    await page.getByRole('tab', { name: 'Reference' }).click()
    await page.getByRole('navigation', { name: 'Operations' }).waitFor()
    const operations = await page.getByRole('navigation', { name: 'Operations' }).textContent()
    expect(operations).toContain('POST /api/v1/data/book')
    expect(operations).not.toContain('DELETE')
    await page.getByRole('link', { name: /POST \/api\/v1\/data\/book$/ }).click()
    const body = page.getByRole('textbox', { name: 'Body (JSON)' })
    await body.fill('{"title": ')
    await page.getByRole('button', { name: 'Send POST' }).click()
    await page.getByText('This is not JSON.', { exact: false }).waitFor()
    await body.fill('{"pages": 3}')
    await page.getByRole('button', { name: 'Send POST' }).click()
    await page.getByText(/^Refused after/).waitFor()
    await body.fill('{"title": "Sanditon", "pages": 120}')
    await page.getByRole('button', { name: 'Send POST' }).click()
    await page.getByText(/^Answered in/).waitFor()
    const { total } = await bench.api<{ total: number }>('GET', '/data/book?count=true&top=1')
    expect(total).toBe(4)
    await look(page, 'api-reference')
  })

  it('suggests in GraphQL what fits, by keyboard alone', async () => {
    const { page } = opened
    await page.getByRole('tab', { name: 'GraphQL' }).first().click()
    const query = page.getByRole('textbox', { name: 'Query' })
    await page.getByRole('button', { name: /^bookList / }).waitFor()
    await query.fill('')
    await query.pressSequentially('{ bookList(top: 1, orderBy: {field: ')
    await page.getByRole('button', { name: /^title/ }).waitFor()
    await query.pressSequentially('ti')
    await page.keyboard.press('Control+Space')
    await page.keyboard.press('Enter')
    await page.keyboard.type('}) { records { ')
    await page.keyboard.press('Control+Space')
    await tabTo(page, /^pages/)
    await page.keyboard.press('Enter')
    await page.keyboard.type(' } } }')
    expect(await query.inputValue()).toBe('{ bookList(top: 1, orderBy: {field: title}) { records { pages } } }')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText(/^Answered in/).waitFor()
    expect(await page.getByRole('region', { name: 'Answer' }).textContent()).toContain('474')
    await look(page, 'api-graphql')
  })

  it('lets an assistant in with a key of its own, shows what it did, and shuts it out', async () => {
    const { page } = opened
    await page.getByRole('tab', { name: 'Assistants' }).click()
    await page.getByRole('button', { name: 'Connect an assistant' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Desk helper')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Connection Desk helper' })
    const text = await dialog.getByRole('region', { name: 'For assistants that connect over HTTP' }).textContent()
    const { cairn } = (JSON.parse(text!) as { mcpServers: { cairn: { url: string; headers: Record<string, string> } } })
      .mcpServers
    await look(page, 'api-connection')
    await dialog.getByRole('button', { name: 'I have copied it' }).click()

    const call = async (name: string, args: object): Promise<Response> =>
      fetch(cairn.url, {
        method: 'POST',
        headers: {
          ...cairn.headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
      })
    const found = await (await call('query_records', { object: 'book', limit: 1 })).text()
    expect(found).toContain('records')
    expect(await (await call('create_record', { object: 'book', data: { title: 'x' } })).text()).toContain(
      'read_only_key',
    )

    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'Desk helper' })
    await row.getByText('query_records').waitFor()
    await row.getByText('refused').waitFor()
    expect(await row.textContent()).toContain('Only read')
    await look(page, 'api-assistants')
    await row.getByRole('button', { name: 'End the connection Desk helper' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
    await page.getByText('No connections yet').waitFor()
    expect((await call('list_objects', {})).status).toBe(401)
    expect(opened.errors.filter((line) => !line.includes('400'))).toEqual([])
  })
})
