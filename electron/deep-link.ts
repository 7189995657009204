// Turns cairn:// addresses into places in the window. A link can only show a screen; it never carries an action.

/** The scheme the operating system hands to this program. */
export const linkScheme = 'cairn'

/** As long as the host takes. */
const longestPairing = 2_000

const safePath = /^(?:\/[A-Za-z0-9_-]{1,64}){0,6}$/

/**
 * The address in the window for a link such as `cairn://open/o/crm_deal`; undefined for anything else, so a link can
 * neither leave the screens nor smuggle a script or a foreign address. `cairn://pair` leads to the screen that asks whether
 * to join another device; nothing happens before a person has said so there.
 */
export function placeOfLink(link: string): string | undefined {
  const url = URL.canParse(link) ? new URL(link) : undefined
  if (url?.protocol === `${linkScheme}:` && url.host === 'pair') return placeOfPairing(link)
  if (url?.protocol !== `${linkScheme}:` || url.host !== 'open' || url.search !== '' || url.hash !== '')
    return undefined
  const path = url.pathname.replace(/\/$/, '')
  return safePath.test(path) ? `#${path === '' ? '/' : path}` : undefined
}

/** The screen that asks whether to join with a link; the link is one value of its address, whatever it holds. */
function placeOfPairing(link: string): string | undefined {
  const isSane = link.length <= longestPairing && /^cairn:\/\/pair\/?[?#][!-~]*$/.test(link)
  return isSane ? `#/sync/join?link=${encodeURIComponent(link)}` : undefined
}

/** The first link among the arguments of a start. */
export function linkAmong(argv: readonly string[]): string | undefined {
  return argv.find((argument) => argument.startsWith(`${linkScheme}://`))
}
