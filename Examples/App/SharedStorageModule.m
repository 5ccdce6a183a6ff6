// Makes SharedStorageModule.swift known to React Native. App target only; the app's bridging header imports nothing for it.
#import <React/RCTBridgeModule.h>

@interface RCT_EXTERN_MODULE (SharedStorageModule, NSObject)

RCT_EXTERN_METHOD(save : (NSString *)baseURL
                  tenant : (NSString *)tenant
                  token : (NSString *)token
                  resolve : (RCTPromiseResolveBlock)resolve
                  reject : (RCTPromiseRejectBlock)reject)

RCT_EXTERN_METHOD(has : (RCTPromiseResolveBlock)resolve
                  reject : (RCTPromiseRejectBlock)reject)

RCT_EXTERN_METHOD(clear : (RCTPromiseResolveBlock)resolve
                  reject : (RCTPromiseRejectBlock)reject)

@end
