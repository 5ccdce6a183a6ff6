// Leaves the credentials for the notification extension. Call `save` after login and after every token refresh, `clear` first at logout.
// On Android there is no such extension: every call does nothing there.
import { NativeModules, Platform } from 'react-native';

const native = Platform.OS === 'ios' ? NativeModules.SharedStorageModule : null;

function text(name, value) {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new TypeError(`SharedStorage.save: ${name} must be a text`);
  }
  return value;
}

export const SharedStorage = {
  /** Keeps what the extension needs: { baseURL, tenant, token }. */
  async save({ baseURL, tenant, token }) {
    if (!native) return;
    await native.save(text('baseURL', baseURL), text('tenant', tenant), text('token', token));
  },

  /** Whether the extension has what it needs. The token never comes back to JavaScript. */
  async has() {
    return native ? native.has() : false;
  },

  /** Forgets it. */
  async clear() {
    if (native) await native.clear();
  },
};
