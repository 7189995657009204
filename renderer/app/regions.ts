// Owns moving the focus between the regions of the screen with one key, and keeping it from falling to the body.
const regionSelector = '[data-region]'

function focusRegion(region: HTMLElement): void {
  const target =
    region.querySelector<HTMLElement>('[data-region-focus]') ??
    region.querySelector<HTMLElement>('h1[tabindex], a[href], button:not([disabled]), input, [tabindex="0"]') ??
    region
  target.focus()
}

/** Moves the focus to the next visible region (or the previous one), starting over at the end. */
export function moveToRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>(regionSelector)].filter(
    (region) => region.offsetParent !== null || region.getClientRects().length > 0,
  )
  if (regions.length === 0) return
  const active = document.activeElement
  const at = regions.findIndex((region) => region.contains(active))
  const next = regions[(at + step + regions.length) % regions.length] ?? regions[0]
  if (next) focusRegion(next)
}

/** Moves the focus to the heading of the page unless something on the page already has it. */
export function focusPageHeading(): void {
  const active = document.activeElement
  if (active && active !== document.body && active.isConnected) return
  const main = document.querySelector<HTMLElement>('main')
  const target = main?.querySelector<HTMLElement>('h1') ?? main
  target?.focus({ preventScroll: true })
}
