// What a page in this shell may be and do: the one origin, the preferences of its window, its content policy, and the
// refusal of everything else. Knows no window and no host.
import type { App, Session, WebContents, WebFrameMain, WebPreferences } from 'electron'
import { shellPolicy } from '#main/index.ts'

/** Scheme and host of the window's pages. */
export const shellScheme = 'app'

/** The one origin a window may show (A-08, D-31). */
export const shellOrigin = 'app://cairn'

/** The page every window loads. */
export const shellPage = `${shellOrigin}/index.html`

/** Switches that open the program to a debugger. */
const debugSwitches = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-debugging-address',
  'inspect',
  'inspect-brk',
]

/** Preferences of every window: no Node, no shared world, the operating system's sandbox. */
export function webPreferences(preload: string, packaged: boolean): WebPreferences {
  return {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    safeDialogs: true,
    devTools: !packaged,
  }
}

/** Whether an address belongs to the shell's own origin. */
export function isShellUrl(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined
  // `origin` of a scheme the URL standard does not know is "null", so its parts are compared.
  return url?.protocol === `${shellScheme}:` && url.host === 'cairn' && url.username === '' && url.password === ''
}

/** Whether a message came from the top frame of one of our pages; frames inside it and foreign pages never do. */
export function isTrustedFrame(frame: WebFrameMain | null): boolean {
  return frame !== null && frame.parent === null && isShellUrl(frame.url)
}

/**
 * The host's own content policy with the one addition the window needs: it speaks to the host across origins.
 * @param hostUrl origin of the running host
 */
export function windowPolicy(hostUrl: string): string {
  const socketUrl = hostUrl.replace(/^http/, 'ws')
  return shellPolicy.replace("connect-src 'self'", `connect-src ${hostUrl} ${socketUrl}`)
}

/** Whether an address may be handed to the person's browser: encrypted web pages only. */
export function isOpenable(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === 'https:'
}

/**
 * Keeps a page on the shell's origin, and opens foreign links in the browser of the person.
 * @param openOutside gets https addresses only
 */
export function lockNavigation(contents: WebContents, openOutside: (address: string) => void): void {
  const refuseForeign = (event: { preventDefault(): void; url: string }): void => {
    if (!isShellUrl(event.url)) event.preventDefault()
  }
  contents.on('will-navigate', refuseForeign)
  contents.on('will-frame-navigate', refuseForeign)
  contents.on('will-redirect', refuseForeign)
  contents.on('will-attach-webview', (event) => {
    event.preventDefault()
  })
  contents.setWindowOpenHandler(({ url }) => {
    if (isOpenable(url)) openOutside(url)
    return { action: 'deny' }
  })
}

/** Refuses every permission a page could ask for, but writing to the clipboard, which copying cells needs. */
export function denyPermissions(session: Session): void {
  const granted = (permission: string, address: string): boolean =>
    permission === 'clipboard-sanitized-write' && isShellUrl(address)
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(granted(permission, details.requestingUrl))
  })
  session.setPermissionCheckHandler((_contents, permission, origin) => granted(permission, `${origin}/`))
  session.setDevicePermissionHandler(() => false)
}

/** Whether the arguments would open a debugging port; a release refuses to start then, whatever the reason given. */
export function asksForDebugger(commandLine: App['commandLine'], packaged: boolean): boolean {
  return packaged && debugSwitches.some((name) => commandLine.hasSwitch(name))
}
