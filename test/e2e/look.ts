// Looks at a page in its colour schemes: a picture of each for people, and nothing in it that keeps anybody out.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { isRelease } from '../support/release-size.ts'
import { sized } from '../support/test-size.ts'

/** Where pictures of the screens are left for people to look at. */
export const pictures = fileURLToPath(new URL('shots/', import.meta.url))
/** Whether pictures are left, which takes time: before a release, and where `CAIRN_PICTURES` is set. */
const keepsPictures = isRelease || process.env['CAIRN_PICTURES'] !== undefined
/** The colour schemes a run looks at, the light one last. */
export const schemes = sized<readonly ('dark' | 'light')[]>(['light'], ['dark', 'light'])
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Puts a page into a colour scheme; resolves when every colour has arrived. */
export async function turn(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' })
  await page.evaluate(async () => {
    // What turns without end, such as a sign of loading, is not waited for. What ends in a closed part of the page tells
    // nobody, so it is asked.
    const isTurning = ({ effect, playState }: Animation): boolean =>
      playState === 'running' && effect?.getComputedTiming().iterations !== Infinity
    while (document.getAnimations().some(isTurning)) await new Promise((resolve) => setTimeout(resolve, 20))
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  })
}

/**
 * What of a page keeps somebody out, a line for each place. The rules stay in the page, so that a second look is quick;
 * frames in it are not looked into.
 * @param only rules to look at; all of the standard's without them
 */
export async function violations(page: Page, only?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const looked =
    only === undefined ? { type: 'tag' as const, values: rules } : { type: 'rule' as const, values: [...only] }
  return page.evaluate(async (runOnly) => {
    const { run } = (window as unknown as { axe: typeof axe }).axe
    const { violations: found } = await run(document, { runOnly, resultTypes: ['violations'] })
    return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
  }, looked)
}

/** Leaves a picture of a page for people, where this run leaves any. */
export async function picture(page: Page, name: string): Promise<void> {
  if (keepsPictures) await page.screenshot({ path: join(pictures, `${name}.png`) })
}

/** Pictures in light, and in a long run in dark too, without a violation of a rule. The page is light afterwards. */
export async function look(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  for (const scheme of schemes) {
    await turn(page, scheme)
    await picture(page, `${name}-${scheme}`)
    const found = await violations(page)
    expect({ name, scheme, found }).toEqual({ name, scheme, found: [] })
  }
}

/** Moves the focus by Tab until something of that name has it. @throws Error when it never does */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const names: string[] = []
  for (let steps = 0; steps < 80; steps += 1) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement
      const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : []
      return element?.getAttribute('aria-label') ?? labels[0]?.textContent ?? element?.textContent ?? ''
    })
    names.push(focused.trim())
    if (typeof name === 'string' ? focused.trim() === name : name.test(focused.trim())) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Nothing called ${String(name)} can be reached by keyboard, only: ${[...new Set(names)].join(' | ')}`)
}
