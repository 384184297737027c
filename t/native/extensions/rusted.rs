// SPDX-License-Identifier: ISC
//! rusted.rs: functions of Rust that call Python, by CPython's own interface, as an
//! extension of pyo3 does: a panic goes up to the function that Python has called.
//! With --cfg free_threaded, for a Python without a GIL.
#![crate_type = "cdylib"]
#![allow(non_camel_case_types, non_snake_case)]
use std::os::raw::{c_char, c_int, c_long, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::null_mut;

#[cfg(not(free_threaded))]
#[repr(C)]
pub struct PyObject {
    count: isize,
    kind: *mut c_void,
}

#[cfg(free_threaded)]
#[repr(C)]
pub struct PyObject {
    thread: usize,
    bits: u32,
    local: u32,
    shared: isize,
    kind: *mut c_void,
}

type Object = *mut PyObject;
type Function = unsafe extern "C" fn(Object, Object) -> Object;

#[repr(C)]
struct PyMethodDef {
    name: *const c_char,
    function: Option<Function>,
    flags: c_int,
    doc: *const c_char,
}

#[repr(C)]
struct PyModuleDef {
    base: PyObject,
    init: *mut c_void,
    index: isize,
    copy: *mut c_void,
    name: *const c_char,
    doc: *const c_char,
    size: isize,
    methods: *mut PyMethodDef,
    slots: *mut c_void,
    traverse: *mut c_void,
    clear: *mut c_void,
    free: *mut c_void,
}

extern "C" {
    fn PyModule_Create2(module: *mut PyModuleDef, version: c_int) -> Object;
    fn PyObject_CallFunctionObjArgs(f: Object, ...) -> Object;
    fn PyLong_FromLong(x: c_long) -> Object;
    fn PyTuple_GetItem(tuple: Object, i: isize) -> Object;
    fn PyErr_Fetch(kind: *mut Object, value: *mut Object, trace: *mut Object);
    fn PyErr_Restore(kind: Object, value: Object, trace: Object);
    fn Py_DecRef(x: Object);
    fn Py_BuildValue(format: *const c_char, ...) -> Object;
}

/// A function of Python has raised.
struct Raised;

fn call(f: Object, x: usize) -> Result<(), Raised> {
    unsafe {
        let number = PyLong_FromLong(x as c_long);
        let result = PyObject_CallFunctionObjArgs(f, number, null_mut::<PyObject>());
        Py_DecRef(number);
        if result.is_null() {
            return Err(Raised);
        }
        Py_DecRef(result);
    }
    Ok(())
}

/// What Python gets: None, or its own exception.
fn answer(result: Result<(), Raised>) -> Object {
    match result {
        Ok(()) => unsafe { Py_BuildValue("\0".as_ptr() as *const c_char) },
        Err(Raised) => null_mut(),
    }
}

fn argument(args: Object, i: isize) -> Object {
    unsafe { PyTuple_GetItem(args, i) }
}

#[inline(never)]
fn descend(f: Object, depth: usize, kept: &mut Vec<usize>) {
    if depth > 0 {
        let mut more = kept.clone();
        descend(f, depth - 1, &mut more);
        kept.extend(more);
    } else if call(f, depth).is_err() {
        resume_unwind(Box::new(Raised));
    }
}

/// Runs what may panic.
fn guarded<F: FnOnce()>(run: F) -> Object {
    answer(catch_unwind(AssertUnwindSafe(run)).map_err(|_| Raised))
}

unsafe extern "C" fn call_once(_: Object, args: Object) -> Object {
    answer(call(argument(args, 0), 1))
}

unsafe extern "C" fn call_deep(_: Object, args: Object) -> Object {
    guarded(|| descend(argument(args, 0), 5, &mut vec![1]))
}

unsafe extern "C" fn call_sort(_: Object, args: Object) -> Object {
    let f = argument(args, 0);
    let mut numbers = vec![3, 1, 2];
    numbers.sort_by(|a: &usize, b: &usize| {
        let _ = call(f, *a);
        a.cmp(b)
    });
    answer(Ok(()))
}

unsafe extern "C" fn call_closure(_: Object, args: Object) -> Object {
    let f = argument(args, 0);
    let closures: Vec<Box<dyn Fn(usize) -> Result<(), Raised>>> =
        vec![Box::new(move |x| call(f, x)), Box::new(move |x| call(f, x + 1))];
    answer(closures.iter().try_for_each(|c| c(1)))
}

unsafe extern "C" fn call_iterator(_: Object, args: Object) -> Object {
    let f = argument(args, 0);
    answer((0..2).map(|x| call(f, x)).collect())
}

unsafe extern "C" fn call_panicking(_: Object, args: Object) -> Object {
    guarded(|| descend(argument(args, 0), 5, &mut vec![1]))
}

/// Calls Python while a panic drops it.
struct Guard(Object);

impl Drop for Guard {
    #[inline(never)]
    fn drop(&mut self) {
        let (mut kind, mut value, mut trace) = (null_mut(), null_mut(), null_mut());
        unsafe {
            PyErr_Fetch(&mut kind, &mut value, &mut trace);
            let _ = call(self.0, 1);
            PyErr_Restore(kind, value, trace);
        }
    }
}

unsafe extern "C" fn call_dropping(_: Object, args: Object) -> Object {
    guarded(|| {
        let _guard = Guard(argument(args, 1));
        descend(argument(args, 0), 3, &mut vec![1]);
    })
}

const VARARGS: c_int = 1;

macro_rules! method {
    ($f:ident) => {
        PyMethodDef {
            name: concat!(stringify!($f), "\0").as_ptr() as *const c_char,
            function: Some($f),
            flags: VARARGS,
            doc: null_mut(),
        }
    };
}

#[no_mangle]
pub unsafe extern "C" fn PyInit_rusted() -> Object {
    let methods = Box::leak(Box::new([
        method!(call_once),
        method!(call_deep),
        method!(call_sort),
        method!(call_closure),
        method!(call_iterator),
        method!(call_panicking),
        method!(call_dropping),
        PyMethodDef { name: null_mut(), function: None, flags: 0, doc: null_mut() },
    ]));
    let mut module: PyModuleDef = std::mem::zeroed();
    #[cfg(not(free_threaded))]
    {
        module.base.count = 1;
    }
    module.name = "rusted\0".as_ptr() as *const c_char;
    module.size = -1;
    module.methods = methods.as_mut_ptr();
    PyModule_Create2(Box::leak(Box::new(module)), 1013)
}
