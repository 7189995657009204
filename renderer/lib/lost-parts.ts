// Owns what becomes of a part of the page that does not come: a newer build replaced the files the page was made of, or the
// host is away. The page can only get it by being loaded anew.

const loadedAtKey = 'cairn.reloaded-at'
/** A page that was loaded anew so lately and lacks a part again would only be loaded in a circle. */
const circleMs = 30_000
const probeMs = 1_000

/** Loads the page anew when a part of it did not come: once its host answers and nothing is unsaved. */
export function reloadForLostParts(): void {
  let isWaiting = false
  window.addEventListener('vite:preloadError', () => {
    if (isWaiting) return
    isWaiting = true
    void reloadWhenServed().finally(() => {
      isWaiting = false
    })
  })
}

async function reloadWhenServed(): Promise<void> {
  const last = Number(window.sessionStorage.getItem(loadedAtKey) ?? '0')
  if (Date.now() - last < circleMs && (await isServed())) return
  while (isUnsaved() || !(await isServed())) {
    await new Promise((resolve) => setTimeout(resolve, probeMs))
  }
  window.sessionStorage.setItem(loadedAtKey, String(Date.now()))
  window.location.reload()
}

/** Whether a dialog is being filled in, or anybody would ask before the page is left. */
function isUnsaved(): boolean {
  const isLeft = window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  return !isLeft || document.querySelector('[aria-modal="true"]') !== null
}

/** Whether the host hands out the page. */
export async function isServed(): Promise<boolean> {
  return fetch(window.location.pathname, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
}
