// Packages from the first page on: a ready application is looked at, installed, tried, cleared of its samples, upgraded with a
// conflict, put back and taken away.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packPackage } from '#main/plugins/packages/offline.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

const sources = fileURLToPath(new URL('../../packages/', import.meta.url))

describe('packages', () => {
  let bench: ConsoleBench
  let opened: ConsolePage
  let folder: string

  /** An archive of the events application under a name of its own. */
  const archive = (version: string, description: string): string => {
    const dir = join(folder, version)
    cpSync(join(sources, 'events'), dir, { recursive: true })
    const change = (path: string, make: (json: Record<string, unknown>) => object): void =>
      writeFileSync(join(dir, path), JSON.stringify(make(JSON.parse(readFileSync(join(dir, path), 'utf8')))))
    change('manifest.json', (json) => ({ ...json, id: 'org.example.events', name: 'Our events', version }))
    change('metadata/object/events_place.json', (json) => ({ ...json, description }))
    const file = join(folder, `${version}.zip`)
    writeFileSync(file, packPackage(dir).bytes)
    return file
  }
  const send = async (file: string): Promise<void> => {
    const chooser = opened.page.waitForEvent('filechooser')
    await opened.page.getByRole('button', { name: 'Upload a package' }).click()
    await (await chooser).setFiles(file)
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-packages-'))
    bench = await openBench()
    opened = await bench.open()
    opened.page.setDefaultTimeout(10_000)
  })
  afterAll(async () => {
    await bench?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('offer six ready applications where a workspace begins, and say what one adds before it is there', async () => {
    const { page } = opened
    const offers = page.getByRole('list', { name: 'Or start with a ready application' }).getByRole('link')
    await offers.first().waitFor()
    expect(await offers.count()).toBe(6)
    await offers.filter({ hasText: 'Projects and tasks' }).click()
    const box = page.getByRole('dialog', { name: 'Projects and tasks 1.0.0' })
    await box.getByText('Comes with Cairn').waitFor()
    await box.getByText('3 objects', { exact: false }).waitFor()
    await box.getByRole('listitem').filter({ hasText: 'Milestone' }).waitFor()
    await box.getByText('It asks for no rights beyond its own objects.').waitFor()
    expect((await bench.api<{ data: { total: number } }>('GET', '/packages')).data.total).toBe(0)
    await box.getByRole('button', { name: 'Install' }).click()
    await page.getByRole('heading', { level: 2, name: 'Projects and tasks', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Tasks', exact: true }).waitFor()
  })

  it('lose their samples with one press', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Remove sample records' }).click()
    await page.getByText('7 sample records are in the trash.').waitFor()
    expect(await page.getByRole('button', { name: 'Remove sample records' }).count()).toBe(0)
  })

  it('are switched off and on', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Disabled: its objects are hidden, their records stay').waitFor()
    await expect.poll(async () => page.getByRole('link', { name: 'Tasks', exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('link', { name: 'Tasks', exact: true }).waitFor()
  })

  it('are uploaded, upgraded with conflicts beside each other, and put back', async () => {
    const { page } = opened
    await page.getByRole('tab', { name: 'Gallery' }).click()
    await send(archive('1.0.0', 'Venue'))
    const preview = page.getByRole('dialog', { name: 'Our events 1.0.0' })
    await preview.getByText('Not signed: nobody vouches for it').waitFor()
    await preview.getByRole('checkbox').uncheck()
    await preview.getByRole('button', { name: 'Install' }).click()
    await page.getByRole('heading', { level: 2, name: 'Our events', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Remove sample records' }).count()).toBe(0)

    const object = await bench.api<{ item: object }>('GET', '/meta/object/events_place')
    await bench.api('PUT', '/meta/object/events_place', { item: { ...object.item, description: 'Room' } })
    await page.getByRole('tab', { name: 'Gallery' }).click()
    await send(archive('1.1.0', 'Location'))
    // What is installed is looked at where it can be upgraded.
    await page.getByRole('button', { name: 'Upgrade to 1.1.0' }).click()
    const box = page.getByRole('dialog', { name: 'Upgrade Our events from 1.0.0 to 1.1.0?' })
    const conflict = box.getByRole('listitem').filter({ hasText: 'events_place: description' })
    for (const value of ['Venue', 'Room', 'Location']) await conflict.getByText(value, { exact: true }).waitFor()
    await box.getByRole('radio', { name: 'Take the new version' }).check()
    await box.getByRole('button', { name: 'Upgrade' }).click()
    await page.getByText('Our events is version 1.1.0 now.').waitFor()
    const description = async () =>
      (await bench.api<{ item: { description: string } }>('GET', '/meta/object/events_place')).item.description
    expect(await description()).toBe('Location')
    await page.getByRole('button', { name: 'Put back to 1.0.0' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Put back to 1.0.0' }).click()
    await page.getByText('Our events is back at version 1.0.0.').waitFor()
    expect(await description()).toBe('Room')
  })

  it('are uninstalled, and say what becomes of their records', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Uninstall' }).click()
    const box = page.getByRole('dialog', { name: 'Uninstall Our events?' })
    await box.getByText('Keep them for another installation').waitFor()
    await box.getByRole('radio', { name: 'Remove them' }).check()
    await box.getByRole('button', { name: 'Uninstall' }).click()
    await page.getByText('Our events is uninstalled.').waitFor()
    await page.getByRole('link', { name: /Projects and tasks/ }).waitFor()
    expect(opened.errors).toEqual([])
  })
})
