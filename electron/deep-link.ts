// Turns cairn:// addresses into places in the window. A link can only show a screen; it never carries an action.

/** The scheme the operating system hands to this program. */
export const linkScheme = 'cairn'

const safePath = /^(?:\/[A-Za-z0-9_-]{1,64}){0,6}$/

/**
 * The address in the window for a link such as `cairn://open/o/crm_deal`; undefined for anything else, so a link can
 * neither leave the screens nor smuggle a script or a foreign address.
 */
export function placeOfLink(link: string): string | undefined {
  const url = URL.canParse(link) ? new URL(link) : undefined
  if (url?.protocol !== `${linkScheme}:` || url.host !== 'open' || url.search !== '' || url.hash !== '')
    return undefined
  const path = url.pathname.replace(/\/$/, '')
  return safePath.test(path) ? `#${path === '' ? '/' : path}` : undefined
}

/** The first link among the arguments of a start. */
export function linkAmong(argv: readonly string[]): string | undefined {
  return argv.find((argument) => argument.startsWith(`${linkScheme}://`))
}
